use super::*;
use crate::admission::plan::{Applied, LimitRef};
use crate::limit::{Algorithm, Quota};
use crate::time::Span;
use crate::wire::{CallId, CounterKey, Item, Outcome};

fn plan_of(costs: &[u64]) -> Plan {
    let applied = costs.iter().map(|cost| Applied {
        limit: LimitRef::Preflight,
        object: String::new(),
        hint: String::new(),
        item: Item {
            key: CounterKey([0; 16]),
            spill: CounterKey([0; 16]),
            quota: Quota {
                algorithm: Algorithm::TokenBucket,
                limit: 1,
                window: Span::from_secs(1),
                burst: 1,
            },
            cost: *cost,
            value: None,
            enforce: true,
            durable: false,
            block: Vec::new(),
            permits: 0,
            reserve: None,
            taken: None,
        },
        tier: None,
        settle: None,
        shown: true,
    });
    Plan {
        applied: applied.collect(),
        ..Plan::default()
    }
}

fn charged(id: u64, covers: &[usize], limits: usize) -> Verdict {
    Verdict {
        outcomes: vec![None::<Outcome>; limits],
        charges: vec![Charge {
            object: format!("object {id}"),
            hint: String::new(),
            id: CallId(id),
            covers: covers.to_vec(),
        }],
        ..Verdict::default()
    }
}

#[test]
fn an_admitted_second_round_stands_beside_the_first() {
    let (mut plan, mut verdict) = (plan_of(&[1, 2]), charged(1, &[0, 1], 2));
    join(&mut plan, &mut verdict, plan_of(&[3]), charged(2, &[0], 1));
    assert!(verdict.admitted() && verdict.refunds.is_empty());
    assert_eq!((plan.applied.len(), verdict.outcomes.len()), (3, 3));
    let covers: Vec<_> = verdict.charges.iter().map(|c| c.covers.clone()).collect();
    assert_eq!(covers, [vec![0, 1], vec![2]]);
}

#[test]
fn a_refused_second_round_gives_the_first_back() {
    let (mut plan, mut verdict) = (plan_of(&[1]), charged(1, &[0], 1));
    let after = Verdict {
        refused: vec![0],
        outcomes: vec![None],
        ..Verdict::default()
    };
    join(&mut plan, &mut verdict, plan_of(&[3]), after);
    assert_eq!(verdict.refused, [1]);
    assert!(verdict.charges.is_empty());
    let calls: Vec<_> = verdict.refunds.iter().map(|q| q.call.clone()).collect();
    assert_eq!(calls, [Call::Refund { id: CallId(1) }]);
}

#[test]
fn what_is_kept_is_what_was_charged() {
    let kept = keep(&plan_of(&[5, 7]), &charged(9, &[0, 1], 2));
    let calls: Vec<_> = kept.into_iter().map(|question| question.call).collect();
    let wanted = Call::Settle {
        id: CallId(9),
        spent: vec![(0, 5), (1, 7)],
    };
    assert_eq!(calls, [wanted]);
}
