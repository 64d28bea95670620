//! Carries questions to counter objects and brings the replies back.

use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::body::millis;
use super::isolate::Isolate;
use super::js::{self, Context, Env};
use super::telemetry;
use crate::admission::{Question, Reply};
use crate::text;
use crate::time::Span;
use crate::wire::Answer;

/// The binding of the counter objects.
pub const BINDING: &str = "COUNTER";

/// Asks every question at once; a reply for each, in order, within `timeout`.
pub async fn ask(env: &Env, questions: &[Question], timeout: Span) -> Vec<Reply> {
    let Some(promise) = start(env, questions, timeout, js::ask) else {
        return vec![Reply::Failed; questions.len()];
    };
    let lines = JsFuture::from(promise)
        .await
        .ok()
        .and_then(|lines| lines.as_string())
        .unwrap_or_default();
    replies(questions, &lines)
}

/// Asks the one question of these lines (see [`line`]); `go` is called with the answer's line, and gives
/// what the promise that comes back resolves to, even when the client has left. No Rust future is made:
/// the answer comes in the platform's own turn.
pub fn ask_one(
    isolate: &Isolate,
    line: &str,
    timeout: Span,
    go: &JsValue,
    context: &Context,
) -> Option<Promise> {
    let namespace = isolate.counters.as_ref()?;
    Some(js::ask_one(namespace, line, millis(timeout), go, context))
}

/// A question as [`ask_one`] takes it: the object, where it should be made, and the message, a line each.
pub fn line(question: &Question) -> String {
    let whom = [question.object.as_str(), &question.hint, ""].join("\n");
    question.call.encode_behind(&whom)
}

/// What the lines that came back say, one for each question.
pub fn replies(questions: &[Question], lines: &str) -> Vec<Reply> {
    let mut lines = lines.split('\n');
    let replies: Vec<_> = questions
        .iter()
        .map(|_| lines.next().map_or(Reply::Failed, reply))
        .collect();
    for reply in &replies {
        if let Reply::Answer(Answer::Charged(charged)) = reply {
            telemetry::wrote(charged.rows, charged.faults);
        }
    }
    replies
}

/// Tells objects what nobody waits for, behind the response. Best effort: whatever is told this
/// way also lapses by itself.
pub fn tell(env: &Env, context: &Context, questions: &[Question], timeout: Span) {
    if questions.is_empty() {
        return;
    }
    if let Some(promise) = start(env, questions, timeout, js::tell) {
        context.wait_until(&promise);
    }
}

fn start(
    env: &Env,
    questions: &[Question],
    timeout: Span,
    send: impl Fn(&JsValue, &str, &str, &str, f64) -> Promise,
) -> Option<Promise> {
    let isolate = super::isolate::of(env);
    let namespace = isolate.counters.as_ref()?;
    telemetry::called(questions);
    let lines = Lines::of(questions);
    let timeout_ms = millis(timeout);
    Some(send(
        namespace,
        &lines.objects,
        &lines.hints,
        &lines.messages,
        timeout_ms,
    ))
}

/// Questions as JavaScript takes them: a line each.
pub struct Lines {
    /// Names of the objects.
    pub objects: String,
    /// Where they should be made.
    pub hints: String,
    /// What they are asked.
    pub messages: String,
}

impl Lines {
    /// Of these questions.
    pub fn of(questions: &[Question]) -> Lines {
        let lines = |part: &dyn Fn(&Question) -> String| {
            text::join(&questions.iter().map(part).collect::<Vec<_>>(), "\n")
        };
        Lines {
            objects: lines(&|question| question.object.clone()),
            hints: lines(&|question| question.hint.clone()),
            messages: lines(&|question| question.call.encode()),
        }
    }
}

/// What a line from an object says.
pub fn reply(line: &str) -> Reply {
    match line {
        "!t" => Reply::TimedOut,
        "!o" => Reply::Overloaded,
        "!r" => Reply::Retryable,
        _ => Answer::decode(line).map_or(Reply::Failed, Reply::Answer),
    }
}
