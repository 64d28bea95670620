use super::*;
use crate::admission::decide::{Begin, Question, Reply};
use crate::admission::described::Described;
use crate::admission::plan::{Context, Plan, Tier, plan};
use crate::admission::{Memory, Verdict};
use crate::policy::{self, Mode};
use crate::wire::names::Namer;
use crate::wire::{Answer, Call, Charge, Charged};

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + ms)
}

/// One isolate and a limit of so many in 60 s, in a sliding window.
struct Stand {
    policy: Policy,
    memory: Memory,
}

impl Stand {
    fn new(quota: u64) -> Stand {
        let limit = format!(
            r#"{{"name":"l","key":["ip"],"algorithm":"sliding-window","quota":{quota},"window":"60s","precision":"optimistic"}}"#
        );
        let rule = format!(r#"{{"name":"r","match":{{"path":"/*"}},"limits":[{limit}]}}"#);
        Stand {
            policy: policy::parse(&format!(r#"{{"rules":[{rule}]}}"#)).unwrap(),
            memory: Memory::new(1),
        }
    }

    fn plan(&self) -> Plan {
        let context = Context {
            policy: &self.policy,
            namer: &Namer::new(b"test"),
            mode: Mode::Enforce,
            tiers: &|_, _| Tier::Unknown,
        };
        plan(&context, &Described::new("GET", "/").from_ip("192.0.2.1"))
    }

    /// One request: whether it passed, and what is to be told.
    #[track_caller]
    fn request(&mut self, ms: u64) -> Verdict {
        let plan = self.plan();
        match self.memory.begin(&self.policy, &plan, at(ms)) {
            Begin::Decided(verdict) => verdict,
            Begin::Ask(round) => panic!("{round:?}"),
        }
    }

    /// So many requests at once; gives how many passed, and the reports.
    fn requests(&mut self, ms: u64, count: u64) -> (u64, Vec<Question>) {
        let (mut passed, mut reports) = (0, Vec::new());
        for _ in 0..count {
            let verdict = self.request(ms);
            passed += u64::from(verdict.admitted());
            reports.extend(verdict.reports);
        }
        (passed, reports)
    }

    fn answer(&mut self, reports: Vec<Question>, ms: u64, outcome: Outcome) -> Vec<Question> {
        let charged = Charged {
            admitted: true,
            outcomes: vec![outcome],
            rows: 0,
            faults: 0,
        };
        let replies = vec![Reply::Answer(Answer::Charged(charged)); reports.len()];
        let times = (at(ms), at(ms));
        self.memory.reported(&self.policy, reports, &replies, times)
    }
}

/// What one report says: its id, units, and how long ago.
#[track_caller]
fn told(reports: &[Question]) -> (u64, u64, Span) {
    let [question] = reports else {
        panic!("{reports:?}");
    };
    let Call::Charge(Charge { id, items, .. }) = &question.call else {
        panic!("{question:?}");
    };
    assert!(!items[0].enforce);
    (id.0, items[0].cost, items[0].taken.unwrap())
}

fn left(remaining: u64) -> Outcome {
    Outcome {
        conforms: remaining > 0,
        remaining,
        reset: Span::from_secs(5),
        retry_after: if remaining == 0 {
            Span::from_secs(5)
        } else {
            Span::ZERO
        },
        remember: if remaining == 0 {
            Span::from_secs(5)
        } else {
            Span::ZERO
        },
        ..Outcome::default()
    }
}

#[test]
fn an_eighth_is_told_at_once_and_the_rest_when_that_is_answered() {
    let mut stand = Stand::new(50);
    let (passed, reports) = stand.requests(0, 200);
    assert_eq!(passed, 50);
    let (_, units, ago) = told(&reports);
    assert_eq!(
        (units, ago),
        (5, Span::ZERO),
        "an eighth of the 45 that are left"
    );
    let rest = stand.answer(reports, 10, left(45));
    assert_eq!(told(&rest).1, 45);
    assert_eq!(stand.answer(rest, 20, left(0)), []);
    let refused = stand.request(30);
    assert!(!refused.admitted() && refused.remembered);
    assert_eq!(refused.reports, []);
}

#[test]
fn what_has_left_the_window_is_never_told() {
    let mut stand = Stand::new(120);
    for ms in (0..600_000).step_by(6_000) {
        let verdict = stand.request(ms);
        assert!(verdict.admitted());
        assert_eq!(verdict.reports, [], "after {ms} ms");
    }
}

#[test]
fn a_busy_key_is_told_about_once_a_second() {
    let mut stand = Stand::new(10_000);
    let mut calls = 0;
    for ms in (0..10_000).step_by(10) {
        let reports = stand.request(ms).reports;
        if reports.is_empty() {
            continue;
        }
        calls += 1;
        assert!(
            told(&reports).2 <= Span::from_millis(500),
            "half of their time"
        );
        stand.answer(reports, ms, left(9_000));
    }
    assert_eq!(calls, 9);
}

#[test]
fn an_unanswered_report_is_repeated_under_its_id_and_then_given_up() {
    let mut stand = Stand::new(50);
    let (_, reports) = stand.requests(0, 10);
    let (id, units, _) = told(&reports);
    let timed_out = [Reply::TimedOut];
    let times = (at(0), at(300));
    let next = stand
        .memory
        .reported(&stand.policy, reports, &timed_out, times);
    assert_eq!(next, [], "not at once");
    assert_eq!(stand.request(350).reports, []);
    let again = stand.request(501).reports;
    assert_eq!((told(&again).0, told(&again).1), (id, units), "the same");
    // Nobody knows whether it was counted: another one does not repeat it.
    let later = stand.request(5_000).reports;
    assert_ne!(told(&later).0, id);
    assert_eq!(told(&later).1, 10 + 3 - units);
}

#[test]
fn what_others_have_spent_counts_until_it_may_have_come_back() {
    let mut stand = Stand::new(50);
    let (_, reports) = stand.requests(0, 5);
    stand.answer(reports, 10, left(2));
    let (passed, reports) = stand.requests(11, 5);
    assert_eq!(passed, 2, "the object's word");
    assert_eq!(told(&reports).1, 1, "told one by one now");
    let refused = stand.request(2_010);
    assert_eq!(refused.retry_after(), Span::from_secs(3));
    assert!(stand.request(5_011).admitted(), "it may have come back");
}

#[test]
fn a_key_that_was_made_to_be_forgotten_is_let_through_within_ten_seconds() {
    let mut stand = Stand::new(10);
    let mut reports = stand.requests(0, 20).1;
    while !reports.is_empty() {
        reports = stand.answer(reports, 10, left(5));
    }
    for ms in (1_000..10_000).step_by(1_000) {
        let refused = stand.request(ms);
        assert!(!refused.admitted());
        assert_eq!(refused.reports, []);
    }
    let asked = stand.request(10_011);
    assert!(!asked.admitted(), "not made to wait");
    assert_eq!(told(&asked.reports).1, 0);
    stand.answer(asked.reports, 10_020, left(10));
    assert_eq!(stand.requests(10_021, 20).0, 10);
}

#[test]
fn memory_is_bounded_and_a_new_key_is_counted_by_its_object_then() {
    let mut tallies = Tallies::default();
    let stand = Stand::new(50);
    let plan = stand.plan();
    let item = |key: u128| Item {
        key: CounterKey(key.to_be_bytes()),
        ..plan.applied[0].item.clone()
    };
    for key in 0..10_000 {
        let room = tallies.decide(&item(key), at(0)).is_some();
        assert_eq!(room, key < CAPACITY as u128);
    }
    assert_eq!(tallies.len(), CAPACITY);
    for key in 10_000..20_000 {
        assert!(
            tallies
                .decide(&item(key), at(60_001 * (key as u64 - 9_999)))
                .is_some()
        );
    }
    assert!(tallies.len() <= CAPACITY);
}

#[test]
fn a_large_log_is_kept_in_few_steps() {
    let mut tallies = Tallies::default();
    let stand = Stand::new(10_000);
    let item = &stand.plan().applied[0].item;
    for ms in 0..9_000 {
        assert!(tallies.decide(item, at(ms * 6)).unwrap().0.conforms);
    }
    let Some((_, tally)) = tallies.known.first_key_value() else {
        panic!("nothing is known");
    };
    let mut bytes = Vec::new();
    tally.state.encode(&tally.quota, at(54_000), &mut bytes);
    assert!(bytes.len() < 16 * (STEPS as usize + 2), "{}", bytes.len());
}
