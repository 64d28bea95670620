//! What one isolate keeps between requests: the policy in force, the names' secret, and
//! [`Memory`]. Plain data only: nothing that belongs to a request survives it.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{JSON, Reflect};
use wasm_bindgen::JsValue;

use super::js::{self, Env};
use crate::admission::Memory;
use crate::policy::{self, Mode, Policy};
use crate::wire::names::Namer;

/// Names are only pseudonyms without a secret: whoever reads this can compute them. `status` and
/// the check warn.
const PUBLIC_SECRET: &[u8] = b"weir: no KEY_SECRET is set";

thread_local! {
    static ISOLATE: RefCell<Option<Rc<Isolate>>> = const { RefCell::new(None) };
}

/// One isolate's state.
pub struct Isolate {
    /// The policy in force, if any ever loaded.
    pub policy: RefCell<Option<Rc<Policy>>>,
    /// Why the latest policy is not in force.
    pub fault: RefCell<Option<String>>,
    /// Denials, failing objects, local limits.
    pub memory: RefCell<Memory>,
    /// Names objects and counters.
    pub namer: Namer,
    /// `WEIR_MODE`, where it is set.
    pub mode: Option<Mode>,
    /// `ORIGIN`, where it is a URL.
    pub origin: Option<String>,
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
        let isolate = Isolate {
            policy: RefCell::new(None),
            fault: RefCell::new(None),
            memory: RefCell::new(Memory::new(seed())),
            namer: Namer::new(secret.as_deref().map_or(PUBLIC_SECRET, str::as_bytes)),
            mode,
            origin: text(env, "ORIGIN"),
        };
        isolate.load(env);
        isolate
    }

    /// Parses the variable `POLICY`. A broken one is reported and leaves the site open: a policy
    /// never takes it down.
    fn load(&self, env: &Env) {
        let fault = match document(env) {
            None => Some("POLICY is not set; write [vars.POLICY] in wrangler.toml".to_owned()),
            Some(text) => match policy::parse(&text) {
                Ok(policy) => {
                    *self.policy.borrow_mut() = Some(Rc::new(policy));
                    None
                }
                Err(faults) => Some(
                    faults
                        .iter()
                        .map(ToString::to_string)
                        .collect::<Vec<_>>()
                        .join("\n"),
                ),
            },
        };
        if let Some(fault) = &fault {
            js::log_error(&format!(
                "weir: the policy does not load, traffic passes unlimited: {fault}"
            ));
        }
        *self.fault.borrow_mut() = fault;
    }

    /// The policy in force.
    pub fn policy(&self) -> Option<Rc<Policy>> {
        self.policy.borrow().clone()
    }
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
