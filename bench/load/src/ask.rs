//! A closed loop: each connection sends its next request when the last is answered.
//!
//!     --port P --connections 32 --warm S       seconds before the measured window
//!     --seconds S, or --requests N             how long, or how many in all
//!     --clients N --first F --step K           numbers F, F + K, ...: N of them
//!     --order random | each                    at random, or each once before any comes again
//!     --warm-clients N --warm-first F          the same for the time before the window
//!     --method M --path P --body BYTES --watch NAME:PID --seed N

use crate::args::Args;
use crate::client::{Asking, Client, Seen};
use crate::proc::Watched;
use crate::report::{self, Window};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Every client is met as long as their number is no multiple of this prime.
const STRIDE: u64 = 7919;
const LONGEST: f64 = 120.0;
const STACK: usize = 256 * 1024;

/// Who asks.
struct Clients {
    count: u64,
    first: u32,
    step: u32,
    is_random: bool,
    next: AtomicU64,
}

impl Clients {
    fn pick(&self, random: &mut Random) -> u32 {
        let n = if self.is_random {
            random.next() % self.count
        } else {
            // neighbours do not come one after the other
            (self.next.fetch_add(1, Ordering::Relaxed) % self.count * STRIDE) % self.count
        };
        self.first.wrapping_add((n as u32).wrapping_mul(self.step))
    }
}

/// SplitMix64: the same clients in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

pub fn run(args: &Args) -> Result<(), String> {
    let seconds = |name: &str| -> Result<Duration, String> {
        Ok(Duration::from_secs_f64(
            args.get(name, 0.0_f64)?.clamp(0.0, LONGEST),
        ))
    };
    let asking = asking(args)?;
    let connections = args.get("connections", 32_usize)?.clamp(1, 512);
    let (warm, most) = (seconds("warm")?, seconds("seconds")?);
    let most = if most.is_zero() {
        Duration::from_secs_f64(LONGEST)
    } else {
        most
    };
    let wanted = args.get("requests", u64::MAX)?;
    let step = args.get("step", 1)?;
    let is_random = args.text("order") != Some("each");
    let (count, first) = (args.get("clients", 1_u64)?.max(1), args.get("first", 1)?);
    let warm_clients = Clients {
        count: args.get("warm-clients", count)?.max(1),
        first: args.get("warm-first", first)?,
        step,
        is_random,
        next: AtomicU64::new(0),
    };
    let clients = Clients {
        count,
        first,
        step,
        is_random,
        next: AtomicU64::new(0),
    };
    let watched = watched(args)?;
    let seed = args.get("seed", 1_u64)?;

    let (issued, has_failed) = (AtomicU64::new(0), AtomicBool::new(false));
    let edge = Barrier::new(connections + 1);
    let begun = Instant::now();
    let connection = |index: usize| {
        let mut random = Random(
            seed.wrapping_mul(0x2545_f491_4f6c_dd1d)
                .wrapping_add(index as u64),
        );
        let mut client = Client::new(&asking);
        let mut ask = |clients: &Clients, seen: &mut Seen| {
            let goes_on = client.ask(clients.pick(&mut random), "", Instant::now(), seen);
            if !goes_on {
                has_failed.store(true, Ordering::Relaxed);
            }
            goes_on
        };
        let mut unseen = Seen::default();
        while begun.elapsed() < warm && ask(&warm_clients, &mut unseen) {}
        edge.wait();
        // here the window is opened
        edge.wait();
        let mut seen = Seen::default();
        let until = Instant::now() + most;
        while Instant::now() < until
            && issued.fetch_add(1, Ordering::Relaxed) < wanted
            && ask(&clients, &mut seen)
        {}
        edge.wait();
        // here it is closed
        edge.wait();
        (unseen, seen)
    };
    let (costs, seen) = thread::scope(|scope| {
        let threads: Vec<_> = (0..connections)
            .map(|index| {
                let connection = &connection;
                thread::Builder::new()
                    .stack_size(STACK)
                    .spawn_scoped(scope, move || connection(index))
            })
            .collect();
        edge.wait();
        let window = Window::open(&watched);
        edge.wait();
        edge.wait();
        let costs = window.close();
        edge.wait();
        let seen: Vec<(Seen, Seen)> = threads
            .into_iter()
            .flatten()
            .filter_map(|thread| thread.join().ok())
            .collect();
        (costs, seen)
    });
    if has_failed.load(Ordering::Relaxed) {
        return Err("too many requests were not answered".to_owned());
    }
    let (warm, seen): (Vec<_>, Vec<_>) = seen.into_iter().unzip();
    report::print(&costs, &warm, &seen);
    Ok(())
}

/// What all requests have in common.
pub fn asking(args: &Args) -> Result<Asking, String> {
    let port = args.get("port", 0)?;
    let length = args.get("body", 0_usize)?.min(64 << 20);
    let body = (0..length).map(|at| (at % 251) as u8).collect();
    Ok(Asking {
        port,
        method: args.get("method", "GET".to_owned())?,
        path: args.get("path", "/api/items?page=2".to_owned())?,
        body,
    })
}

pub fn watched(args: &Args) -> Result<Vec<Watched>, String> {
    args.all("watch").map(Watched::read).collect()
}
