//! What the demo origin answers when no script says otherwise: the endpoints of the three guides.

use serde_json::json;

use crate::message::Head;
use crate::script::{Framing, Piece, Script};

/// Most bytes of a request body that pages look into.
pub const MAX_SEEN: usize = 64 * 1024;

const JSON: &str = "application/json";
const HTML: &str = "text/html; charset=utf-8";
/// The password that signs anybody in.
const PASSWORD: &str = "correct horse";
const TAKEN: [&str; 4] = ["admin", "ada", "root", "taken"];

fn json(status: u16, value: &serde_json::Value) -> Script {
    Script::page(status, JSON, format!("{value}\n"))
}

/// The answer to a request; `body` is the beginning of its body.
pub fn answer(head: &Head, body: &[u8]) -> Script {
    let method = if head.method == "HEAD" {
        "GET"
    } else {
        head.method.as_str()
    };
    let segments: Vec<&str> = head.path().split('/').filter(|s| !s.is_empty()).collect();
    match (method, segments.as_slice()) {
        ("GET", []) => Script::page(
            200,
            HTML,
            "<!doctype html><title>Demo origin</title><h1>This is the origin.</h1>\n",
        ),
        ("GET", ["api", "usernames", "available"]) => {
            let name = head.query("u").unwrap_or_default();
            json(
                200,
                &json!({ "username": name, "available": !TAKEN.contains(&name) }),
            )
        }
        ("POST", ["signup"]) => json(201, &json!({ "signed_up": true })),
        ("POST", ["login"]) if password(body).as_deref() == Some(PASSWORD) => {
            json(200, &json!({ "signed_in": true }))
        }
        ("POST", ["login"]) => json(401, &json!({ "signed_in": false })),
        ("GET", ["api", "v1", "quizzes"]) => json(
            200,
            &json!([{ "id": 1, "title": "Rivers" }, { "id": 2, "title": "Planets" }]),
        ),
        ("GET", ["api", "v1", "questions"]) => json(
            200,
            &json!([{ "id": 1, "quiz": 1, "text": "Which river is the longest?" }]),
        ),
        ("POST", ["api", "v1", "quizzes", id, "submit"]) => {
            json(200, &json!({ "quiz": id, "received": true }))
        }
        ("POST", ["reports"]) => json(200, &json!({ "report": "done" })),
        ("GET", ["bytes", count]) if count.parse::<u64>().is_ok_and(|n| n <= 1 << 30) => Script {
            headers: vec![(
                "Content-Type".to_owned(),
                "application/octet-stream".to_owned(),
            )],
            body: vec![Piece::Fill(count.parse().unwrap_or(0))],
            ..Script::default()
        },
        ("GET", ["events"]) => events(),
        ("GET", ["ws"]) => Script {
            websocket: true,
            ..Script::default()
        },
        (_, ["echo"]) => Script {
            headers: vec![(
                "Content-Type".to_owned(),
                "text/plain; charset=iso-8859-1".to_owned(),
            )],
            body: vec![Piece::EchoHead],
            ..Script::default()
        },
        _ => json(
            404,
            &json!({ "error": "there is no such page at the demo origin" }),
        ),
    }
}

/// Five server-sent events, half a second apart.
fn events() -> Script {
    let event = |n: u32| {
        [
            Piece::Text(format!("id: {n}\ndata: event {n}\n\n")),
            Piece::DelayMs(500),
        ]
    };
    Script {
        headers: vec![("Content-Type".to_owned(), "text/event-stream".to_owned())],
        framing: Framing::Chunked,
        body: (1..=5).flat_map(event).collect(),
        ..Script::default()
    }
}

/// The field `password` of a JSON object or a form.
fn password(body: &[u8]) -> Option<String> {
    if let Ok(value) = serde_json::from_slice::<serde_json::Value>(body) {
        return Some(value.get("password")?.as_str()?.to_owned());
    }
    let text = std::str::from_utf8(body).ok()?;
    let value = text
        .split('&')
        .find_map(|pair| pair.strip_prefix("password="))?;
    Some(value.replace(['+'], " ").replace("%20", " "))
}
