//! What tests ask the origin, on a port of its own so that nothing of it shadows a page.
//!
//! | request | does |
//! | --- | --- |
//! | `GET /state` | records, how many are in flight, held, and were at most at once |
//! | `GET /await?total_min=&in_flight_min=&in_flight_max=&held_min=&held_max=&ended=ID&timeout_ms=` | the same once all of it holds; 408 where it never did |
//! | `POST /scripts` | registers an answer (see `script.rs`); later ones come first |
//! | `POST /hold` | from now on every request waits for a release |
//! | `POST /release?count=&id=` | lets so many of the oldest go, or that one; without either all, and ends `/hold` |
//! | `POST /reset` | forgets records and scripts, releases everything |

use std::io::{self, BufReader, Write};
use std::net::TcpStream;
use std::str::FromStr;
use std::time::Duration;

use serde_json::{Value, json};

use crate::message::{self, Head};
use crate::record::{Shared, State};
use crate::script::Script;

const MAX_WAIT_MS: u64 = 60_000;
const MAX_SCRIPT: usize = 64 * 1024 * 1024;

/// Serves one connection of a test.
pub fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(head) = message::read_head(&mut reader)? {
        let mut body = Vec::new();
        message::read_body(&mut reader, head.framing(), |piece| {
            if body.len() < MAX_SCRIPT {
                body.extend(piece);
            }
        })?;
        let (status, value) = answer(&head, &body, shared);
        let text = value.to_string();
        let length = text.len();
        write!(
            stream,
            "HTTP/1.1 {status} -\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{text}"
        )?;
    }
    Ok(())
}

fn number<T: FromStr>(head: &Head, name: &str) -> Option<T> {
    head.query(name)?.parse().ok()
}

fn answer(head: &Head, body: &[u8], shared: &Shared) -> (u16, Value) {
    match (head.method.as_str(), head.path()) {
        ("GET", "/state") => (200, shared.read(state)),
        ("GET", "/await") => {
            let most = number(head, "timeout_ms").unwrap_or(5_000).min(MAX_WAIT_MS);
            let held = shared.wait(Duration::from_millis(most), |state| holds(head, state));
            (if held { 200 } else { 408 }, shared.read(state))
        }
        ("POST", "/scripts") => match serde_json::from_slice::<Script>(body) {
            Ok(script) => {
                shared.change(|state| state.scripts.insert(0, script));
                (201, json!({}))
            }
            Err(error) => (400, json!({ "error": error.to_string() })),
        },
        ("POST", "/hold") => {
            shared.change(|state| state.hold_all = true);
            (200, json!({}))
        }
        ("POST", "/release") => {
            let released =
                shared.change(|state| state.release(number(head, "id"), number(head, "count")));
            (200, json!({ "released": released }))
        }
        ("POST", "/reset") => {
            shared.change(|state| {
                state.records.clear();
                state.scripts.clear();
                state.hold_all = false;
                state.peak = 0;
            });
            (200, json!({}))
        }
        _ => (404, json!({ "error": "not a request of the control port" })),
    }
}

fn state(state: &State) -> Value {
    json!({
        "records": state.records,
        "in_flight": state.in_flight(),
        "held": state.held(),
        "peak": state.peak,
    })
}

fn holds(head: &Head, state: &State) -> bool {
    let at_least = |name, value| number(head, name).is_none_or(|least: usize| value >= least);
    let at_most = |name, value| number(head, name).is_none_or(|most: usize| value <= most);
    let ended = number(head, "ended")
        .is_none_or(|id: u64| state.records.iter().any(|r| r.id == id && !r.in_flight));
    at_least("total_min", state.records.len())
        && at_least("in_flight_min", state.in_flight())
        && at_most("in_flight_max", state.in_flight())
        && at_least("held_min", state.held())
        && at_most("held_max", state.held())
        && ended
}
