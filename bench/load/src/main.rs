//! What drives `npm run bench`: a load generator and a small origin, on this machine alone.
//!
//!     load origin                    listens on a free port of 127.0.0.1 and says which
//!     load ask --port P ...          asks as fast as it is answered (see `ask.rs`)
//!     load play --port P --script F  asks when a script says (see `play.rs`)
//!
//! Threads and blocking sockets, one thread a connection: what it takes of a core is reported with
//! every measurement, so that a measurement of the generator itself shows as one.

// Clocks are what this program is for.
#![allow(clippy::disallowed_methods)]

mod args;
mod ask;
mod client;
mod http;
mod origin;
mod play;
mod proc;
mod report;

fn main() {
    let mut words = std::env::args().skip(1);
    let what = words.next().unwrap_or_default();
    let done = args::Args::read(words).and_then(|args| match what.as_str() {
        "origin" => origin::run(),
        "ask" => ask::run(&args),
        "play" => play::run(&args),
        other => Err(format!("\"{other}\" is none of origin, ask and play")),
    });
    if let Err(fault) = done {
        eprintln!("load: {fault}");
        std::process::exit(1);
    }
}
