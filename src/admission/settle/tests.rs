use super::*;
use crate::policy::CountWhen;
use crate::wire::CallId;

fn reservation(object: &str, id: u64, item: u32, settle: Settle) -> Reservation {
    Reservation {
        object: object.into(),
        hint: String::new(),
        id: CallId(id),
        item,
        held: 1_000,
        settle,
    }
}

fn count() -> Settle {
    Settle::Count(CountWhen {
        status: vec![401, 403],
    })
}

fn header() -> Settle {
    Settle::Cost(Cost::ResponseHeader("x-cost".into()))
}

fn units(questions: &[Question]) -> Vec<(u32, u64)> {
    questions
        .iter()
        .flat_map(|question| match &question.call {
            Call::Settle { spent, .. } => spent.clone(),
            other => panic!("{other:?}"),
        })
        .collect()
}

#[track_caller]
fn check(settle_by: Settle, status: Option<u16>, text: Option<&str>, expected: u64) {
    let header = |name: &str| text.filter(|_| name == "x-cost").map(str::to_owned);
    let ending = Ending {
        status,
        header: &header,
        request_bytes: Some(17),
        response_bytes: Some(4_242),
    };
    let questions = settle(&[reservation("o", 1, 0, settle_by)], |_| true, &ending);
    assert_eq!(units(&questions), [(0, expected)], "{status:?} {text:?}");
}

#[test]
fn a_count_is_kept_where_the_response_matches() {
    check(count(), Some(401), None, 1_000);
    check(count(), Some(403), None, 1_000);
    check(count(), Some(200), None, 0);
    check(count(), Some(500), None, 0);
    check(count(), None, None, 1_000);
}

#[test]
fn a_cost_is_the_true_figure_or_what_was_reserved() {
    check(Settle::Cost(Cost::ResponseBytes), Some(200), None, 4_242);
    check(Settle::Cost(Cost::Bytes), Some(200), None, 17);
    check(header(), Some(200), Some("7"), 7);
    check(header(), Some(200), Some(" 0 "), 0);
    check(header(), Some(200), Some("7.25"), 8);
    check(header(), Some(200), Some("7.0"), 7);
    check(
        header(),
        Some(200),
        Some("99999999999999999999999"),
        u64::MAX,
    );
    for unreadable in ["", "-5", "+5", "1e9", "NaN", "7, 8", ".5", "5."] {
        check(header(), Some(200), Some(unreadable), 1_000);
    }
    check(header(), Some(200), None, 1_000);
}

#[test]
fn one_message_for_each_charge() {
    let all = [
        reservation("a", 1, 0, count()),
        reservation("b", 2, 0, count()),
        reservation("a", 1, 2, header()),
    ];
    let none = |_: &str| None;
    let ending = Ending {
        status: Some(200),
        header: &none,
        request_bytes: None,
        response_bytes: None,
    };
    let questions = settle(&all, |_| true, &ending);
    assert_eq!(questions.len(), 2);
    assert_eq!(units(&questions[..1]), [(0, 0), (2, 1_000)]);
    let costs = settle(&all, |one| matches!(one, Settle::Cost(_)), &ending);
    assert_eq!(units(&costs), [(2, 1_000)]);
}

#[track_caller]
fn check_refused(code: Code, expected: &[(u32, u64)]) {
    let all = [
        reservation("a", 1, 0, count()),
        reservation("a", 1, 1, header()),
        reservation("a", 1, 2, Settle::Cost(Cost::ResponseBytes)),
    ];
    assert_eq!(units(&refused(&all, code, code.status())), expected);
}

#[test]
fn what_weir_itself_answers() {
    check_refused(Code::Busy, &[]);
    check_refused(Code::RateLimited, &[]);
    check_refused(Code::OriginUnreachable, &[(0, 0), (1, 0), (2, 0)]);
    check_refused(Code::InvalidRequest, &[(0, 0), (1, 1_000), (2, 1_000)]);
    check_refused(
        Code::DeadlineExceeded,
        &[(0, 1_000), (1, 1_000), (2, 1_000)],
    );
}
