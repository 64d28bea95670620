//! Weir's own pages. They are subject to no rule, and what they answer is never cached or framed.

mod acts;

use std::cell::RefCell;
use std::rc::Rc;

use crate::json::Node;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::isolate::{self, Isolate};
use super::js::{self, Env, Request};
use super::request::RequestFacts;
use super::{ask, clock, respond, telemetry};
use crate::admission::{Facts, Question, Reply};
use crate::http::code::Code;
use crate::http::refusal::Refusal;
use crate::map::Sorted;
use crate::operator::gauges;
use crate::operator::request::{self, MAX_BYTES};
use crate::operator::route::{self, DEFAULT_ADMIN_PATH};
use crate::operator::status::Status;
use crate::operator::token::Guard;
use crate::operator::{Exists, Page, Routed};
use crate::policy::{Policy, RequestView};
use crate::telemetry::{SlotSeen, Totals};
use crate::time::Span;
use crate::wire::{Answer, Call};

/// The binding of the static files.
const ASSETS: &str = "ASSETS";
/// Objects that are asked for their slots, at most.
const MAX_OBJECTS: usize = 32;
/// How long an operator's request may take to arrive, and an object to answer it.
const PATIENCE: Span = Span::from_secs(5);

/// On every answer. A page may load its own files and ask its own host, and nothing else.
const HEADERS: &str = "cache-control\nno-store\nx-frame-options\nDENY\nx-content-type-options\nnosniff\n\
    referrer-policy\nno-referrer\ncontent-security-policy\ndefault-src 'none'; \
    script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

thread_local! {
    static GUARD: RefCell<Guard> = RefCell::default();
}

/// An operator's request that may be answered.
struct Asking {
    isolate: Rc<Isolate>,
    policy: Option<Rc<Policy>>,
    env: Env,
    request: Request,
    head: bool,
}

/// The answer, where the request is for one of Weir's own pages.
pub fn answer(
    isolate: &Rc<Isolate>,
    policy: Option<&Rc<Policy>>,
    env: &Env,
    facts: &RequestFacts,
) -> Option<JsValue> {
    let admin_path = policy.map_or(DEFAULT_ADMIN_PATH, |policy| &policy.admin_path);
    if !facts.path().starts_with(admin_path) {
        return None;
    }
    let secret = isolate::text(env, "ADMIN_TOKEN");
    let exists = Exists {
        admin: secret.is_some(),
        demo: isolate::text(env, "DEMO").as_deref() == Some("on"),
    };
    let slash = facts.parts().path.ends_with('/');
    let page = match route::route(admin_path, facts.path(), slash, facts.method(), exists) {
        Routed::Elsewhere => return None,
        Routed::Missing => return Some(refuse(facts, Refusal::new(Code::NotFound))),
        Routed::WrongMethod(allowed) => {
            return Some(refuse(facts, Refusal::method_not_allowed(allowed)));
        }
        Routed::Page(page) => page,
    };
    let head = facts.method() == "HEAD";
    match page {
        Page::Slash => {
            let headers = format!("{HEADERS}\nlocation\n{admin_path}/");
            return Some(js::respond(308, &headers, JsValue::NULL));
        }
        Page::File { file, media_type } => {
            let Some(assets) = isolate::binding(env, ASSETS) else {
                return Some(refuse(facts, Refusal::new(Code::NotFound)));
            };
            return Some(js::asset(&assets, &file, &typed(media_type), head).into());
        }
        _ => {}
    }
    let allowed = GUARD.with_borrow_mut(|guard| {
        guard.check(
            &isolate.namer,
            facts.caller(),
            facts.text("authorization").as_deref(),
            &secret.unwrap_or_default(),
            clock::now(),
        )
    });
    if let Err(refusal) = allowed {
        return Some(refuse(facts, refusal));
    }
    let asking = Asking {
        isolate: Rc::clone(isolate),
        policy: policy.cloned(),
        env: env.clone(),
        request: facts.request.clone(),
        head,
    };
    Some(future_to_promise(async move { Ok(asking.answer(page).await) }).into())
}

/// Turns away, as a refusal looks, with what every page of Weir's own carries.
fn refuse(facts: &RequestFacts, mut refusal: Refusal) -> JsValue {
    for (name, value) in [
        ("X-Frame-Options", "DENY"),
        ("X-Content-Type-Options", "nosniff"),
    ] {
        refusal.headers.push((name, value.to_owned()));
    }
    respond::bare(facts, &refusal)
}

fn typed(media_type: &str) -> String {
    format!("{HEADERS}\ncontent-type\n{media_type}")
}

impl Asking {
    async fn answer(&self, page: Page) -> JsValue {
        let told = match page {
            Page::Status => Ok(self.status().await),
            Page::Metrics => match self.metrics().await {
                Ok(metrics) => return metrics,
                Err(refusal) => Err(refusal),
            },
            Page::Live => self.live().await,
            Page::Explain => self.explain().await,
            Page::Unblock => self.unblock().await,
            _ => Err(Refusal::new(Code::NotFound)),
        };
        let (status, document) = match told {
            Ok(document) => (200, document.to_string()),
            Err(refusal) => {
                let document = crate::http::problem::document(&refusal, refusal.status, None);
                (refusal.status, document)
            }
        };
        self.send(status, "application/json", &document)
    }

    fn send(&self, status: u16, media_type: &str, text: &str) -> JsValue {
        let body = if self.head {
            JsValue::NULL
        } else {
            JsValue::from_str(text)
        };
        js::respond(status, &typed(media_type), body)
    }

    /// The body of an operator's request.
    async fn text(&self) -> Result<String, Refusal> {
        #[expect(clippy::cast_precision_loss, reason = "a number of bytes")]
        let reading = js::text_of(&self.request, MAX_BYTES as f64);
        let text = JsFuture::from(reading).await.ok();
        text.and_then(|text| text.as_string())
            .ok_or_else(|| request::fault("", "too long, broken off, or no UTF-8"))
    }

    fn policy(&self) -> Result<&Policy, Refusal> {
        self.policy
            .as_deref()
            .ok_or_else(|| request::fault("", "about a policy, and none is in force"))
    }

    async fn status(&self) -> Node {
        let totals = telemetry::gather(&self.env).await;
        let live = self.isolate.live.borrow();
        let has = |name: &str| isolate::binding(&self.env, name).is_some();
        let status = Status {
            in_force: live.in_force(),
            rejected: live.fault(),
            override_mode: self.isolate.mode,
            has_key_secret: isolate::text(&self.env, "KEY_SECRET").is_some(),
            has_counter: has(ask::BINDING),
            has_totals: totals.is_some(),
        };
        status.document(totals.unwrap_or_default().failing(clock::now()))
    }

    /// The sums of all isolates.
    async fn totals(&self) -> Result<Totals, Refusal> {
        telemetry::gather(&self.env).await.ok_or_else(|| {
            Refusal::unavailable(Span::from_secs(1))
                .detailed("What isolates have counted could not be read; please try again.")
        })
    }

    async fn live(&self) -> Result<Node, Refusal> {
        let totals = self.totals().await?;
        let mut live = totals.live(clock::now());
        if let Node::Table(members) = &mut live {
            let slots = self.slots(totals.slots()).await;
            members.push(("slots".to_owned(), Node::List(slots)));
        }
        Ok(live)
    }

    async fn metrics(&self) -> Result<JsValue, Refusal> {
        let mut totals = self.totals().await?;
        if let Some(policy) = &self.policy {
            totals.expect(policy);
        }
        let mut text = totals.metrics();
        let slots = self.slots(totals.slots()).await;
        let live = self.isolate.live.borrow();
        gauges::write(&mut text, &slots, live.in_force(), live.fault());
        Ok(self.send(200, "text/plain; version=0.0.4; charset=utf-8", &text))
    }

    /// Every concurrency limit that was used lately, with all of its keys together.
    async fn slots(&self, seen: &[SlotSeen]) -> Vec<Node> {
        let mut questions: Vec<Question> = Vec::new();
        // The latest are at the end.
        for slot in seen.iter().rev() {
            let known = questions.iter().any(|known| known.object == slot.object);
            if !known && questions.len() < MAX_OBJECTS {
                questions.push(Question {
                    object: slot.object.clone(),
                    hint: String::new(),
                    call: Call::Stats,
                    covers: Vec::new(),
                });
            }
        }
        let replies = ask::ask(&self.env, &questions, PATIENCE).await;
        let mut held: Sorted<String, (u64, u64)> = Sorted::default();
        for reply in replies {
            if let Some(Answer::Stats(stats)) = answered(reply) {
                for (key, running, waiting) in stats.slots {
                    held.insert(key.to_string(), (running.into(), waiting.into()));
                }
            }
        }
        gauges::slots(seen, |key| held.get(key).copied().unwrap_or_default())
    }
}

fn answered(reply: Reply) -> Option<Answer> {
    match reply {
        Reply::Answer(answer) => Some(answer),
        _ => None,
    }
}
