//! What an operator's request says: JSON, read strictly, every fault with its place.

use crate::admission::described::Described;
use crate::http::refusal::Refusal;
use crate::policy::{self, Node};
use crate::text;

/// Most bytes of such a request.
pub const MAX_BYTES: u64 = 256 * 1024;

/// What `unblock` is to lift.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lift {
    /// The rule.
    pub rule: String,
    /// Its limit.
    pub limit: String,
    /// The values of the key, in the order of the key.
    pub key: Vec<String>,
}

/// Reads the body of `explain`.
///
/// # Errors
///
/// 400 that names the place.
pub fn described(text: &str) -> Result<Described, Refusal> {
    const KNOWN: [&str; 6] = ["method", "url", "headers", "ip", "cf", "body"];
    let document = table(text, &KNOWN)?;
    let method = string(&document, "method")?.unwrap_or("GET");
    let url = string(&document, "url")?
        .ok_or_else(|| fault("/url", "nothing; write the path or URL of a request"))?;
    let mut described = Described::new(method, url);
    match document.get("headers") {
        None => {}
        Some(Node::Table(fields)) => {
            for (name, value) in fields {
                let Node::Text(value) = value else {
                    return Err(fault(&format!("/headers/{name}"), "no string"));
                };
                described = described.header(name, value);
            }
        }
        Some(_) => return Err(fault("/headers", "no object of names and values")),
    }
    described.ip = string(&document, "ip")?.map(str::to_owned);
    described.body = string(&document, "body")?.map(|body| body.as_bytes().to_vec());
    if let Some(cf) = document.get("cf") {
        platform(&mut described, cf)?;
    }
    Ok(described)
}

fn platform(described: &mut Described, cf: &Node) -> Result<(), Refusal> {
    let text = |name: &str| match cf.get(name) {
        None => Ok(None),
        Some(Node::Text(text)) => Ok(Some(text.clone())),
        Some(_) => Err(fault(&format!("/cf/{name}"), "no string")),
    };
    described.country = text("country")?;
    described.colo = text("colo")?;
    described.continent = text("continent")?;
    described.ja4 = text("ja4")?;
    described.verified_bot = matches!(cf.get("verifiedBot"), Some(Node::Flag(true)));
    described.asn = match cf.get("asn") {
        None => None,
        Some(Node::Number(number)) if number.parse::<u32>().is_ok() => number.parse().ok(),
        Some(_) => return Err(fault("/cf/asn", "no autonomous system number")),
    };
    Ok(())
}

/// Reads the body of `unblock`.
///
/// # Errors
///
/// 400 that names the place.
pub fn lift(text: &str) -> Result<Lift, Refusal> {
    let document = table(text, &["rule", "limit", "key"])?;
    let wanted = |name: &str| {
        string(&document, name)?
            .map(str::to_owned)
            .ok_or_else(|| fault(&format!("/{name}"), "nothing; write its name"))
    };
    let key = match document.get("key") {
        Some(Node::List(values)) => values
            .iter()
            .map(|value| match value {
                Node::Text(text) => Ok(text.clone()),
                _ => Err(fault("/key", "a value that is no string")),
            })
            .collect::<Result<_, _>>()?,
        _ => return Err(fault("/key", "no list of values in the order of the key")),
    };
    Ok(Lift {
        rule: wanted("rule")?,
        limit: wanted("limit")?,
        key,
    })
}

fn table(text: &str, known: &[&str]) -> Result<Node, Refusal> {
    let node = policy::node_from_json(text).map_err(|faults| {
        let first = faults.first();
        fault(
            "",
            &first.map_or_else(String::new, |fault| fault.found.clone()),
        )
    })?;
    match &node {
        Node::Table(fields) => {
            if let Some((name, _)) = fields
                .iter()
                .find(|(name, _)| !known.contains(&name.as_str()))
            {
                let known = text::join(known, ", ");
                return Err(fault(
                    &format!("/{name}"),
                    &format!("not known; known are {known}"),
                ));
            }
        }
        _ => return Err(fault("", "no object")),
    }
    Ok(node)
}

fn string<'a>(document: &'a Node, name: &str) -> Result<Option<&'a str>, Refusal> {
    match document.get(name) {
        None | Some(Node::Null) => Ok(None),
        Some(Node::Text(text)) => Ok(Some(text)),
        Some(_) => Err(fault(&format!("/{name}"), "no string")),
    }
}

/// A fault at a place of the request.
#[must_use]
pub fn fault(pointer: &str, found: &str) -> Refusal {
    let place = if pointer.is_empty() {
        "The body"
    } else {
        pointer
    };
    Refusal::invalid_request(pointer, format!("{place} is {found}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::Facts;
    use crate::policy::RequestView;

    #[track_caller]
    fn check_fault<T: std::fmt::Debug>(read: Result<T, Refusal>, says: &str) {
        let refusal = read.unwrap_err();
        assert_eq!(refusal.status, 400);
        assert!(refusal.message().contains(says), "{}", refusal.message());
    }

    #[test]
    fn a_described_request_has_all_that_was_said() {
        let request = described(
            r#"{"method":"POST","url":"/a?q=1","headers":{"Cookie":"s=1"},"ip":"192.0.2.1",
                "cf":{"asn":64500,"country":"NL","colo":"AMS"},"body":"{}"}"#,
        )
        .unwrap();
        assert_eq!(request.method(), "POST");
        assert_eq!(request.path(), "/a");
        assert_eq!(request.cookie("s").as_deref(), Some("1"));
        assert_eq!(request.asn(), Some(64500));
        assert_eq!(request.country(), Some("NL"));
        assert_eq!(request.body_bytes(), Some(2));
    }

    #[test]
    fn faults_name_their_place() {
        check_fault(described("{"), "not JSON");
        check_fault(described("[]"), "no object");
        check_fault(described("{}"), "/url");
        check_fault(described(r#"{"url":1}"#), "/url");
        check_fault(described(r#"{"url":"/","urls":1}"#), "/urls is not known");
        check_fault(described(r#"{"url":"/","headers":{"a":1}}"#), "/headers/a");
        check_fault(described(r#"{"url":"/","cf":{"asn":-1}}"#), "/cf/asn");
        check_fault(lift(r#"{"rule":"a","limit":"b"}"#), "/key");
        check_fault(lift(r#"{"rule":"a","key":[]}"#), "/limit");
        check_fault(lift(r#"{"rule":"a","limit":"b","key":[1]}"#), "/key");
    }
}
