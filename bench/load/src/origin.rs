//! The origin: answers everything with the same few bytes, and counts.
//!
//! It says `listening PORT` once it does. For each line on its stdin it says `{"requests":N}`, the
//! requests so far; when its stdin ends, it does.

use crate::http::Reader;
use std::io::{BufRead, Write, stdin};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

const ANSWER: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 22\r\n\r\na small answer of it.\n";
/// One byte more or less, and no connection is used twice.
const _: () = assert!(ANSWER[ANSWER.len() - 26] == b'\r' && ANSWER[ANSWER.len() - 22] == b'a');
const STACK: usize = 128 * 1024;

pub fn run() -> Result<(), String> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| error.to_string())?;
    let port = listener
        .local_addr()
        .map_err(|error| error.to_string())?
        .port();
    let requests = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&requests);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let requests = Arc::clone(&counted);
            let served = thread::Builder::new()
                .stack_size(STACK)
                .spawn(move || serve(stream, &requests));
            if served.is_err() {
                break;
            }
        }
    });
    println!("listening {port}");
    for line in stdin().lock().lines() {
        line.map_err(|error| error.to_string())?;
        println!("{{\"requests\":{}}}", requests.load(Ordering::Relaxed));
    }
    Ok(())
}

/// A connection that fails has ended, and that is all that can be done about it.
fn serve(mut stream: TcpStream, requests: &AtomicU64) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = Reader::new(stream.try_clone().ok()?);
    while let Some(head) = reader.head().ok()? {
        reader.skip_body(&head).ok()?;
        requests.fetch_add(1, Ordering::Relaxed);
        stream.write_all(ANSWER).ok()?;
    }
    Some(())
}
