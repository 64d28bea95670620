use super::*;
use crate::admission::described::Described;
use crate::admission::guard::{GuardFault, check};
use crate::admission::plan::{Context, Tier, plan};
use crate::http::code::Code;
use crate::wire::names::Namer;

/// What the rules make of a request before its body is read.
struct Seen {
    policy: Policy,
    plan: Plan,
    body: BodyPlan,
    request: Described,
}

const POST: fn() -> Described = || Described::new("POST", "http://weir.test/a");

fn seen(rules: &str, request: Described, declared: Option<u64>) -> Seen {
    let policy = crate::policy::parse(&format!("{{\"rules\":[{rules}]}}")).unwrap();
    let namer = Namer::new(b"secret");
    let tiers = |_: usize, _: &str| Tier::Named(String::new());
    let context = Context {
        policy: &policy,
        namer: &namer,
        mode: Mode::Enforce,
        tiers: &tiers,
    };
    let mut plan = plan(&context, &request);
    // A described request's body is known at once; here it is still to come.
    plan.waiting_for_body = plan
        .applied
        .drain(..)
        .map(|applied| applied.limit)
        .collect();
    let body = BodyPlan::new(&policy, &plan, Mode::Enforce, true, declared);
    Seen {
        policy,
        plan,
        body,
        request,
    }
}

impl Seen {
    fn guarded(&self) -> Option<GuardFault> {
        check(
            &self.policy,
            &self.plan,
            Mode::Enforce,
            &self.request,
            &self.body,
        )
        .map(|guarded| guarded.fault)
    }

    fn inspected(&self, bytes: &str) -> Result<Option<u64>, Code> {
        let asked = Asked {
            method: "POST",
            query: "",
            media_type: Some("application/json"),
        };
        let found = inspect(
            &self.policy,
            &self.plan,
            Mode::Enforce,
            asked,
            bytes.as_bytes(),
        );
        found.map_err(|shaped| shaped.refusal.code)
    }
}

const BOUND: &str = r#"{"name":"bound","body":{"max_bytes":100}}"#;
const SHADOW: &str = r#"{"name":"shadow","mode":"shadow","body":{"max_bytes":10,"json":{}}}"#;
const JSON: &str =
    r##"{"name":"json","body":{"max_bytes":50,"json":{"cost":{"terms":["#"],"max":2}}}}"##;
const KEYED: &str = r#"{"name":"keyed","body":{"max_bytes":60},"limits":[{"name":"a","key":["body:user"],"algorithm":"token-bucket","quota":1,"window":"1s"}]}"#;

#[test]
fn what_is_watched_and_held() {
    #[track_caller]
    fn check(rules: &str, declared: Option<u64>, watched: bool, whole: bool, held: u64) {
        let body = seen(rules, POST(), declared).body;
        assert_eq!(
            (body.is_watched(), body.is_held_whole(), body.held()),
            (watched, whole, held),
            "{rules} {declared:?}"
        );
    }
    let slow = r#"{"name":"slow","body":{"timeout":"5s"}}"#;
    check("", None, false, false, 64 << 10);
    check(BOUND, Some(100), false, false, 100);
    check(BOUND, None, true, false, 100);
    check(slow, Some(100), true, false, 64 << 10);
    check(JSON, Some(10), true, true, 50);
    check(KEYED, Some(10), true, true, 60);
    // A rule in shadow reads no body that nobody else reads.
    check(SHADOW, None, false, false, 64 << 10);
    check(&format!("{SHADOW},{KEYED}"), None, true, true, 10);
}

#[test]
fn the_tightest_enforced_bound_refuses() {
    let both = format!("{SHADOW},{BOUND},{JSON}");
    assert_eq!(seen(&both, POST(), None).body.bound, Some((50, 2)));
    assert_eq!(
        seen(&both, POST(), Some(51)).guarded(),
        Some(GuardFault::BodyTooLarge { max: 50 })
    );
    assert_eq!(seen(&both, POST(), Some(50)).guarded(), None);
    assert_eq!(seen(SHADOW, POST(), Some(50)).guarded(), None);
}

#[test]
fn a_coding_that_cannot_be_decoded_is_refused_only_where_the_content_matters() {
    #[track_caller]
    fn check(rules: &str, coding: &str, refused: bool) {
        let request = POST().header("content-encoding", coding);
        let found = seen(rules, request, Some(10)).guarded();
        let wanted = refused.then_some(GuardFault::ContentCoding);
        assert_eq!(found, wanted, "{rules} {coding}");
    }
    for coding in ["gzip", "X-GZIP", " deflate ", "identity", ""] {
        check(JSON, coding, false);
    }
    for coding in ["br", "zstd", "gzip, gzip", "gzip,deflate", "gzip;q=1"] {
        check(JSON, coding, true);
        check(KEYED, coding, true);
        check(BOUND, coding, false);
        check(SHADOW, coding, false);
    }
}

#[test]
fn inspection_refuses_for_enforced_rules_and_counts_for_all() {
    let json = seen(JSON, POST(), None);
    assert_eq!(json.inspected("[1,2]"), Ok(Some(2)));
    assert_eq!(json.inspected("[1,2,3]"), Err(Code::TooExpensive));
    assert_eq!(json.inspected("[1,"), Err(Code::InvalidRequest));
    assert_eq!(json.inspected(""), Err(Code::InvalidRequest));
    let shadow = JSON.replace("\"body\"", "\"mode\":\"shadow\",\"body\"");
    assert_eq!(seen(&shadow, POST(), None).inspected("[1,2,3]"), Ok(None));
    assert_eq!(seen(&shadow, POST(), None).inspected("[1,2]"), Ok(Some(2)));
}

#[test]
fn a_request_without_a_body_needs_none_unless_its_method_carries_one() {
    let json = seen(JSON, POST(), None);
    for (method, refused) in [
        ("POST", true),
        ("PUT", true),
        ("PATCH", true),
        ("GET", false),
        ("DELETE", false),
    ] {
        let asked = Asked {
            method,
            query: "",
            media_type: None,
        };
        let found = inspect(&json.policy, &json.plan, Mode::Enforce, asked, b"");
        assert_eq!(found.is_err(), refused, "{method}");
    }
}

#[test]
fn a_deadline_in_shadow_cuts_nobody_off() {
    let rule = r#"{"name":"late","deadline":"2s"}"#;
    assert!(seen(rule, POST(), None).plan.deadline.is_some());
    let shadow = rule.replace("\"deadline\"", "\"mode\":\"shadow\",\"deadline\"");
    assert!(seen(&shadow, POST(), None).plan.deadline.is_none());
}

#[test]
fn for_rules_in_shadow_alone_no_body_is_refused() {
    #[track_caller]
    fn check(rules: &str, strict: bool) {
        assert_eq!(seen(rules, POST(), None).body.strict, strict, "{rules}");
    }
    let shadow = KEYED.replace("\"body\":{", "\"mode\":\"shadow\",\"body\":{");
    check(&shadow, false);
    check(&format!("{shadow},{SHADOW}"), false);
    check(KEYED, true);
    check(&format!("{shadow},{BOUND}"), true);
}
