//! What one isolate keeps between requests: the policy in force, the names' secret, and
//! [`Memory`]. Plain data only: nothing that belongs to a request survives it.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{JSON, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::Closure;

use super::js::{self, Env, Request};
use super::request::{Head, RequestFacts};
use super::serve::Plans;
use super::{ask, clock, live_policy, respond, telemetry};
use crate::admission::Memory;
use crate::admission::live::Live;
use crate::http::code::Code;
use crate::http::refusal::Refusal;
use crate::policy::{Mode, Policy};
use crate::wire::names::Namer;

/// Names are only pseudonyms without a secret: whoever reads this can compute them. `status` and
/// the check warn.
const PUBLIC_SECRET: &[u8] = b"weir: no KEY_SECRET is set";

thread_local! {
    static ISOLATE: RefCell<Option<Rc<Isolate>>> = const { RefCell::new(None) };
}

/// One isolate's state.
pub struct Isolate {
    /// The policy in force, and why another is not.
    pub live: RefCell<Live>,
    /// Denials, failing objects, local limits.
    pub memory: RefCell<Memory>,
    /// Plans of requests like those that come.
    pub plans: RefCell<Plans>,
    /// Names objects and counters.
    pub namer: Namer,
    /// `WEIR_MODE`, where it is set.
    pub mode: Option<Mode>,
    /// `ORIGIN`, where it is a URL.
    pub origin: Option<String>,
    /// `ORIGIN`, where it is a service binding.
    pub origin_service: Option<JsValue>,
    /// The namespace of the counter objects.
    pub counters: Option<JsValue>,
}

/// The isolate's state, made at its first request.
pub fn of(env: &Env) -> Rc<Isolate> {
    ISOLATE.with_borrow_mut(|slot| {
        slot.get_or_insert_with(|| Rc::new(Isolate::start(env)))
            .clone()
    })
}

impl Isolate {
    fn start(env: &Env) -> Isolate {
        let secret = text(env, "KEY_SECRET");
        let mode = text(env, "WEIR_MODE").and_then(|mode| {
            let parsed = Mode::parse(&mode);
            if parsed.is_none() {
                js::log_error(&format!(
                    "weir: WEIR_MODE is {mode:?}; write \"enforce\", \"shadow\" or \"off\". It is ignored."
                ));
            }
            parsed
        });
        if secret.is_none() {
            js::log(
                "weir: KEY_SECRET is not set: names of objects and counters are pseudonyms that anybody can compute",
            );
        }
        let has_kv = binding(env, live_policy::BINDING).is_some();
        let live = Live::start(document(env).as_deref(), has_kv, clock::now());
        if live.fault().is_some() {
            tell_rejected(&live);
        }
        watch_answers();
        Isolate {
            live: RefCell::new(live),
            memory: RefCell::new(Memory::new(seed())),
            plans: RefCell::default(),
            namer: Namer::new(secret.as_deref().map_or(PUBLIC_SECRET, str::as_bytes)),
            mode,
            origin: text(env, "ORIGIN"),
            origin_service: binding(env, "ORIGIN"),
            counters: binding(env, ask::BINDING),
        }
    }

    /// The policy in force.
    pub fn policy(&self) -> Option<Rc<Policy>> {
        let live = self.live.borrow();
        live.in_force().map(|in_force| Rc::clone(&in_force.policy))
    }
}

/// Logs why a document is not in force, and what is instead.
pub fn tell_rejected(live: &Live) {
    let Some(rejected) = live.fault() else { return };
    let more = match rejected.more {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let instead = live.in_force().map_or_else(
        || "traffic passes unlimited".to_owned(),
        |in_force| format!("{} stays in force", in_force.source.name()),
    );
    js::log_error(&format!(
        "weir: the policy in {} does not load, {instead}: {}{more}",
        rejected.source.name(),
        rejected.fault
    ));
}

/// Says once what to do with answers of the origin that need more than being handed on: requests that
/// nobody watches are handed on in JavaScript and come back to Rust only then.
fn watch_answers() {
    let failure = |request: Request, invalid: bool, fields: Option<String>| {
        let code = if invalid {
            Code::OriginInvalid
        } else {
            Code::OriginUnreachable
        };
        let head = js::head(&request, None);
        let facts = RequestFacts::new(request, Rc::new(Head::new(head)));
        let refusal = Refusal::new(code);
        telemetry::origin_failed(&facts, &refusal);
        respond::failure(&facts, &refusal, fields.as_deref())
    };
    let collision = |ours: String, theirs: String| respond::merged(&ours, &theirs);
    let failure = Closure::<dyn Fn(Request, bool, Option<String>) -> JsValue>::new(failure);
    let collision = Closure::<dyn Fn(String, String) -> String>::new(collision);
    js::on_answers(&failure, &collision);
    // They live as long as the isolate.
    failure.forget();
    collision.forget();
}

/// A variable or secret that is a non-empty string.
pub fn text(env: &Env, name: &str) -> Option<String> {
    Reflect::get(env, &JsValue::from_str(name))
        .ok()?
        .as_string()
        .filter(|text| !text.is_empty())
}

/// A binding that is an object.
pub fn binding(env: &Env, name: &str) -> Option<JsValue> {
    Reflect::get(env, &JsValue::from_str(name))
        .ok()
        .filter(JsValue::is_object)
}

/// `POLICY` as JSON text, whether it is a TOML table (an object here) or text.
fn document(env: &Env) -> Option<String> {
    if let Some(text) = text(env, "POLICY") {
        return Some(text);
    }
    JSON::stringify(&binding(env, "POLICY")?).ok()?.as_string()
}

/// 64 bits that differ from isolate to isolate.
fn seed() -> u64 {
    let word = || {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "below 2^32"
        )]
        let word = (js::random() * 4_294_967_296.0) as u64;
        word
    };
    (word() << 32) | word()
}
