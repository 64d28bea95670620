use super::*;
use crate::admission::decide::Reply;
use crate::admission::decide::tests::{at, begun_with};
use crate::time::Span;
use crate::wire::{Answer, Charged, Outcome};

/// What an object says of two limits: it gives four permits of the first, and none of the other.
fn permits_of_the_first() -> Vec<Reply> {
    let outcome = |permits| Outcome {
        conforms: true,
        remaining: 1,
        reset: Span::from_secs(9),
        permits,
        lapse: Span::from_secs(3),
        ..Outcome::default()
    };
    vec![Reply::Answer(Answer::Charged(Charged {
        admitted: true,
        outcomes: vec![outcome(4), outcome(0)],
        rows: 0,
        faults: 0,
    }))]
}

#[test]
fn what_cannot_be_paid_for_in_full_is_not_taken_for_spending() {
    let wanted_after = |tries: usize| {
        let mut memory = Memory::new(1);
        let (policy, plan, round) = begun_with(&mut memory, r#"["ip"]"#);
        memory.conclude(&policy, &plan, round, &permits_of_the_first(), at(5));
        for _ in 0..tries {
            assert_eq!(memory.pay_outright(&plan, at(10)), None);
        }
        let first = &plan.applied[0].item;
        assert!(memory.leases.can_pay(first, at(10)), "nothing is spent");
        memory.leases.want(first, at(20), Span::from_millis(300))
    };
    assert_eq!(wanted_after(100), wanted_after(0));
}
