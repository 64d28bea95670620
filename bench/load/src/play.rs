//! Plays a script: each request at its time, whether or not others are answered.
//!
//!     --port P --connections 64 --script FILE --watch NAME:PID
//!
//! A line of the script is `MILLISECONDS CLIENT PATH`, in order of time. As many requests as there
//! are connections may be under way; latency counts from when a request was due.

use crate::args::Args;
use crate::ask::{asking, watched};
use crate::client::{Client, Seen};
use crate::report::{self, Window};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

struct Due {
    after: Duration,
    client: u32,
    path: String,
}

pub fn run(args: &Args) -> Result<(), String> {
    let asking = asking(args)?;
    let connections = args.get("connections", 64_usize)?.clamp(1, 512);
    let file = args.text("script").ok_or("--script is missing")?;
    let script = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let script: Vec<Due> = script
        .lines()
        .map(due)
        .collect::<Option<_>>()
        .ok_or_else(|| format!("{file} has a line that is none"))?;
    let watched = watched(args)?;

    let next = AtomicUsize::new(0);
    let edge = Barrier::new(connections + 1);
    let window = Window::open(&watched);
    let begun = Instant::now();
    let connection = || {
        let mut client = Client::new(&asking);
        let mut seen = Seen::default();
        while let Some(due) = script.get(next.fetch_add(1, Ordering::Relaxed)) {
            let at = begun + due.after;
            thread::sleep(at.saturating_duration_since(Instant::now()));
            if !client.ask(due.client, &due.path, at, &mut seen) {
                break;
            }
        }
        edge.wait();
        // here the window is closed
        edge.wait();
        seen
    };
    let (costs, seen): (_, Vec<Seen>) = thread::scope(|scope| {
        let threads: Vec<_> = (0..connections).map(|_| scope.spawn(connection)).collect();
        edge.wait();
        let costs = window.close();
        edge.wait();
        (
            costs,
            threads
                .into_iter()
                .filter_map(|thread| thread.join().ok())
                .collect(),
        )
    });
    report::print(&costs, &[], &seen);
    Ok(())
}

fn due(line: &str) -> Option<Due> {
    let mut parts = line.split(' ');
    let after = Duration::from_millis(parts.next()?.parse().ok()?);
    Some(Due {
        after,
        client: parts.next()?.parse().ok()?,
        path: parts.next()?.to_owned(),
    })
}
