//! One counter, known by the hash of its key: as `live` names those that are refused or near their
//! limit. An operator can look at it, and lift it, without knowing whose it is.

use crate::json::{Node, json};

use super::request::fault;
use crate::admission::Question;
use crate::http::fields::shown;
use crate::http::refusal::Refusal;
use crate::policy;
use crate::time::Span;
use crate::wire::{Answer, Call, Item, Outcome};

/// A counter, and the object that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    object: String,
    item: Item,
}

/// Reads the body of `explain` or `unblock`; None where it is not about a counter that `live` named.
///
/// # Errors
///
/// 400 that names the place.
pub fn read(text: &str) -> Result<Option<Seen>, Refusal> {
    let node = policy::node_from_json(text).unwrap_or(Node::Null);
    let part = |name: &str| match node.get(name) {
        Some(Node::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let Some(ask) = part("ask") else {
        return Ok(None);
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    let object = part("object").filter(|name| name.bytes().all(is_name));
    let object = object.ok_or_else(|| fault("/object", "no object; take both from `live`"))?;
    let item = match Call::decode(ask) {
        Some(Call::Peek(charge)) => <[Item; 1]>::try_from(charge.items).ok(),
        _ => None,
    };
    let [item] = item.ok_or_else(|| fault("/ask", "nothing that `live` gives for a key"))?;
    Ok(Some(Seen {
        object: object.to_owned(),
        item,
    }))
}

impl Seen {
    /// Looks at it.
    #[must_use]
    pub fn look(&self) -> Question {
        self.question(self.item.clone().peek())
    }

    /// Forgets what was counted, and its block.
    #[must_use]
    pub fn lift(&self) -> Question {
        self.question(Call::Forget {
            keys: vec![self.item.key],
        })
    }

    fn question(&self, call: Call) -> Question {
        Question {
            object: self.object.clone(),
            hint: String::new(),
            call,
            covers: Vec::new(),
        }
    }

    /// Puts what the object answered in words; None: it could not be reached.
    #[must_use]
    pub fn document(&self, answer: Option<&Answer>) -> Node {
        let outcome = match answer {
            Some(Answer::Charged(charged)) => charged.outcomes.first().copied(),
            _ => None,
        };
        json!({ "counter": Node::Table(counter(&self.item, outcome)) })
    }
}

/// A counter as operators see it. None: its object could not be reached.
pub(super) fn counter(item: &Item, outcome: Option<Outcome>) -> Vec<(String, Node)> {
    let (quota, window) = shown(&item.quota);
    let mut out = Vec::new();
    let mut put = |name: &str, value: Node| out.push((name.to_owned(), value));
    put("hash", item.key.to_string().into());
    put("quota", quota.into());
    put("window_s", window.as_secs_ceil().into());
    put("cost", item.cost.into());
    put("enforced", item.enforce.into());
    let Some(outcome) = outcome else {
        put("would", "be unreachable".into());
        return out;
    };
    put("remaining", outcome.remaining.into());
    put("blocked", outcome.blocked.into());
    let would = match (outcome.conforms, item.enforce) {
        (true, _) => "pass",
        (false, true) => "refuse",
        (false, false) => "refuse in shadow",
    };
    put("would", would.into());
    if !outcome.conforms && outcome.retry_after != Span::MAX {
        put("retry_after_s", outcome.retry_after.as_secs_ceil().into());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::{Algorithm, Quota};
    use crate::wire::{CallId, Charge, Charged, CounterKey};

    fn item() -> Item {
        Item {
            key: CounterKey([7; 16]),
            spill: CounterKey([8; 16]),
            quota: Quota {
                algorithm: Algorithm::SlidingWindow,
                limit: 10,
                window: Span::from_secs(60),
                burst: 10,
            },
            cost: 3,
            value: Some(4),
            enforce: true,
            durable: false,
            block: vec![Span::from_secs(60)],
            permits: 2,
            reserve: None,
            taken: None,
        }
    }

    #[test]
    fn a_key_that_live_names_can_be_looked_at_and_lifted() {
        let text = json!({ "object": "o-1_a", "ask": item().to_be_found() }).to_string();
        let seen = read(&text).unwrap().unwrap();
        assert_eq!(seen.look().object, "o-1_a");
        let key = CounterKey([7; 16]);
        assert_eq!(seen.lift().call, Call::Forget { keys: vec![key] });
        let answer = Answer::Charged(Charged {
            admitted: false,
            outcomes: vec![Outcome {
                conforms: false,
                retry_after: Span::from_millis(1500),
                ..Outcome::default()
            }],
            rows: 0,
            faults: 0,
        });
        let told = seen.document(Some(&answer)).told();
        assert_eq!(told["counter"]["hash"], key.to_string());
        assert_eq!(told["counter"]["would"], "refuse");
        assert_eq!(told["counter"]["quota"], 10);
        assert_eq!(told["counter"]["retry_after_s"], 2);
        assert_eq!(
            seen.document(None).told()["counter"]["would"],
            "be unreachable"
        );
    }

    #[test]
    fn nothing_else_is_asked_of_an_object() {
        assert_eq!(read(r#"{"url":"/"}"#).unwrap(), None);
        assert_eq!(read("{").unwrap(), None);
        let charge = Call::Charge(Charge {
            id: CallId(1),
            provisional: None,
            items: vec![item()],
        });
        for (object, ask, place) in [
            ("o", charge.encode(), "/ask"),
            ("o", "1s".to_owned(), "/ask"),
            ("o", String::new(), "/ask"),
            ("a b", item().to_be_found(), "/object"),
            ("a\nb", item().to_be_found(), "/object"),
        ] {
            let text = json!({ "object": object, "ask": ask }).to_string();
            let refusal = read(&text).unwrap_err();
            assert!(
                refusal.message().starts_with(place),
                "{}",
                refusal.message()
            );
        }
    }
}
