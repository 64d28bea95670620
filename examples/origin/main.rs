//! The demo origin: the server that Weir stands in front of in `npm start` and in the end-to-end
//! tests. It serves the endpoints of the guides and keeps a record of everything that reaches it.
//!
//! ```text
//! origin --listen 127.0.0.1:8790 [--control 127.0.0.1:0] [--log] [--until-stdin-ends]
//! ```
//!
//! Once it listens it says so, to programs in one line of JSON: `{"listen":"…","control":"…"}`. With
//! `--log` it talks to people instead: a line for each request.
// This is a test's equipment, native only: it lives in real time, and its sums are of small numbers.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::disallowed_methods,
    clippy::indexing_slicing
)]

mod answer;
mod control;
mod message;
mod pages;
mod record;
mod script;
mod websocket;

use std::io::{self, Read};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use record::Shared;

/// Most connections at once; more are closed unread.
const MAX_CONNECTIONS: usize = 1024;
const USAGE: &str =
    "usage: origin --listen HOST:PORT [--control HOST:PORT] [--log] [--until-stdin-ends]";

struct Args {
    listen: String,
    control: String,
    log: bool,
    until_stdin_ends: bool,
}

fn args() -> Option<Args> {
    let mut found = Args {
        listen: String::new(),
        control: "127.0.0.1:0".to_owned(),
        log: false,
        until_stdin_ends: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--listen" => found.listen = words.next()?,
            "--control" => found.control = words.next()?,
            "--log" => found.log = true,
            "--until-stdin-ends" => found.until_stdin_ends = true,
            _ => return None,
        }
    }
    (!found.listen.is_empty()).then_some(found)
}

fn main() -> ExitCode {
    let Some(args) = args() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!(
                "origin: cannot listen on {} and {}: {error}",
                args.listen, args.control
            );
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> io::Result<()> {
    let pages = TcpListener::bind(&args.listen)?;
    let control = TcpListener::bind(&args.control)?;
    let shared = Arc::new(Shared::default());
    let (listen_at, control_at) = (
        pages.local_addr()?.to_string(),
        control.local_addr()?.to_string(),
    );
    if args.log {
        println!("origin: listens on {listen_at}");
    } else {
        let both = serde_json::json!({ "listen": listen_at, "control": control_at });
        println!("{both}");
    }

    let (log, for_pages) = (args.log, Arc::clone(&shared));
    let served = std::thread::spawn(move || {
        accept(&pages, move |stream| answer::serve(stream, &for_pages, log))
    });
    std::thread::spawn(move || accept(&control, move |stream| control::serve(stream, &shared)));
    if args.until_stdin_ends {
        // whoever started this has ended, however that happened
        io::stdin().read_to_end(&mut Vec::new())?;
    } else {
        served.join().ok();
    }
    Ok(())
}

/// A thread for each connection. A connection that fails is its client's business.
fn accept<F>(listener: &TcpListener, serve: F)
where
    F: Fn(TcpStream) -> io::Result<()> + Clone + Send + 'static,
{
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming().flatten() {
        if open.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
            open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let (serve, open) = (serve.clone(), Arc::clone(&open));
        std::thread::spawn(move || {
            serve(stream).ok();
            open.fetch_sub(1, Ordering::Relaxed);
        });
    }
}
