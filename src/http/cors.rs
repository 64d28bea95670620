//! Cross-origin reading (the Fetch standard, section 3.3): who may read a refusal in a browser, and
//! what of the fields that Weir adds.
//!
//! Preflights themselves are answered by the origin.

use crate::policy::Cors;

/// A header: its name and its value.
pub type Field = (&'static str, String);

/// True for a CORS preflight: OPTIONS with `Origin` and `Access-Control-Request-Method`.
#[must_use]
pub fn is_preflight(method: &str, origin: Option<&str>, request_method: Option<&str>) -> bool {
    method == "OPTIONS" && origin.is_some() && request_method.is_some()
}

/// What makes a refusal readable for the caller, and its `exposed` headers with it.
///
/// For a list the answer depends on the caller, which `Vary` says even where the caller is not
/// listed. A listed origin may also read what was asked for with cookies; anybody may not.
#[must_use]
pub fn refusal_fields(cors: &Cors, origin: Option<&str>, exposed: &[&str]) -> Vec<Field> {
    let mut out = Vec::new();
    match cors {
        Cors::Any => out.push(("Access-Control-Allow-Origin", "*".to_owned())),
        Cors::List(_) => {
            out.push(("Vary", "Origin".to_owned()));
            let Some(origin) = listed(cors, origin) else {
                return out;
            };
            out.push(("Access-Control-Allow-Origin", origin.to_owned()));
            out.push(("Access-Control-Allow-Credentials", "true".to_owned()));
        }
    }
    if !exposed.is_empty() {
        out.push(("Access-Control-Expose-Headers", exposed.join(", ")));
    }
    out
}

/// The new `Access-Control-Expose-Headers` of a passed answer, so that the caller can read the
/// `added` headers. `None` where nothing is to be changed: the origin itself did not allow this
/// caller, `cors` does not list it, or all is exposed already.
#[must_use]
pub fn extended_exposure(
    cors: &Cors,
    origin: Option<&str>,
    allow_origin: Option<&str>,
    expose_headers: Option<&str>,
    added: &[&str],
) -> Option<String> {
    let origin = match cors {
        Cors::Any => origin?,
        Cors::List(_) => listed(cors, origin)?,
    };
    let allowed = allow_origin?.trim();
    if allowed != "*" && allowed != origin {
        return None;
    }
    let exposed = expose_headers.unwrap_or("").trim();
    let missing: Vec<&str> = added
        .iter()
        .copied()
        .filter(|name| {
            let mut exposed = exposed.split(',').map(str::trim);
            !exposed.any(|own| own.eq_ignore_ascii_case(name))
        })
        .collect();
    if missing.is_empty() {
        return None;
    }
    let missing = missing.join(", ");
    Some(if exposed.is_empty() {
        missing
    } else {
        format!("{exposed}, {missing}")
    })
}

/// The caller's origin where it is listed. Origins compare exactly: browsers send them in one form.
fn listed<'a>(cors: &Cors, origin: Option<&'a str>) -> Option<&'a str> {
    let Cors::List(list) = cors else { return None };
    origin.filter(|origin| list.iter().any(|listed| listed == origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: &str = "https://app.example";

    fn list() -> Cors {
        Cors::List(vec!["https://other.example".into(), APP.into()])
    }

    #[test]
    fn a_preflight_is_told_by_three_things() {
        assert!(is_preflight("OPTIONS", Some(APP), Some("PUT")));
        assert!(!is_preflight("options", Some(APP), Some("PUT")));
        assert!(!is_preflight("GET", Some(APP), Some("PUT")));
        assert!(!is_preflight("OPTIONS", None, Some("PUT")));
        assert!(!is_preflight("OPTIONS", Some(APP), None));
    }

    #[track_caller]
    fn check(cors: &Cors, origin: Option<&str>, expected: &str) {
        let fields = refusal_fields(cors, origin, &["Retry-After", "RateLimit"]);
        let text: String = fields
            .iter()
            .map(|(name, value)| format!("{}={value};", name.replace("Access-Control-", "")))
            .collect();
        assert_eq!(text, expected, "{origin:?}");
    }

    #[test]
    fn listed_origins_may_read_refusals() {
        check(
            &list(),
            Some(APP),
            "Vary=Origin;Allow-Origin=https://app.example;Allow-Credentials=true;\
             Expose-Headers=Retry-After, RateLimit;",
        );
        check(&list(), Some("https://evil.example"), "Vary=Origin;");
        check(&list(), Some("https://APP.example"), "Vary=Origin;");
        check(&list(), Some("null"), "Vary=Origin;");
        check(&list(), None, "Vary=Origin;");
        let any = "Allow-Origin=*;Expose-Headers=Retry-After, RateLimit;";
        check(&Cors::Any, Some(APP), any);
        check(&Cors::Any, None, any);
    }

    #[track_caller]
    fn check_passed(
        cors: &Cors,
        allow: Option<&str>,
        expose: Option<&str>,
        expected: Option<&str>,
    ) {
        let found = extended_exposure(cors, Some(APP), allow, expose, &["RateLimit", "X-A"]);
        assert_eq!(found.as_deref(), expected, "{allow:?} {expose:?}");
    }

    #[test]
    fn passed_answers_open_no_door_that_the_origin_left_shut() {
        check_passed(&list(), None, None, None);
        check_passed(&list(), Some("https://other.example"), None, None);
        check_passed(&list(), Some("null"), None, None);
        check_passed(&list(), Some(APP), None, Some("RateLimit, X-A"));
        check_passed(&list(), Some("*"), Some(""), Some("RateLimit, X-A"));
        check_passed(
            &Cors::Any,
            Some("*"),
            Some("ETag, ratelimit"),
            Some("ETag, ratelimit, X-A"),
        );
        check_passed(&Cors::Any, Some(APP), Some("x-a,RATELIMIT"), None);
        let nobody = Cors::List(Vec::new());
        check_passed(&nobody, Some("*"), None, None);
        assert_eq!(
            extended_exposure(&Cors::Any, None, Some("*"), None, &["X-A"]),
            None
        );
    }
}
