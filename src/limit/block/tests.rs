use super::*;

const STEPS: &[Span] = &[
    Span::from_secs(60),
    Span::from_secs(600),
    Span::from_secs(3600),
];

/// Refusals by the quota at these seconds lead to these answers, in seconds.
#[track_caller]
fn check(steps: &[Span], refusals: &[(u64, Option<u64>)]) {
    let mut block = Block::default();
    for (at_s, want_s) in refusals {
        let got = block.on_refusal(Timestamp::ZERO + Span::from_secs(*at_s), steps);
        assert_eq!(got, want_s.map(Span::from_secs), "at {at_s} s");
    }
}

#[test]
fn no_steps_no_block() {
    check(&[], &[(0, None), (1, None)]);
}

#[test]
fn one_step_repeats() {
    check(
        &STEPS[..1],
        &[(0, Some(60)), (60, Some(60)), (130, Some(60))],
    );
}

#[test]
fn steps_escalate_and_the_last_repeats() {
    check(
        STEPS,
        &[
            (0, Some(60)),
            (60, Some(600)),
            (660, Some(3600)),
            (4260, Some(3600)),
        ],
    );
}

#[test]
fn a_refusal_inside_the_block_is_no_new_violation() {
    check(
        STEPS,
        &[(0, Some(60)), (1, Some(59)), (59, Some(1)), (60, Some(600))],
    );
}

#[test]
fn a_quiet_spell_of_the_longest_step_after_the_end_starts_over() {
    check(STEPS, &[(0, Some(60)), (60 + 3599, Some(600))]);
    check(
        STEPS,
        &[(0, Some(60)), (60 + 3600, Some(60)), (60 + 3660, Some(600))],
    );
}

#[test]
fn a_shortened_list_goes_on_at_its_end() {
    let mut block = Block::default();
    block.on_refusal(Timestamp::from_millis(0), STEPS);
    block.on_refusal(Timestamp::from_millis(60_000), STEPS);
    let next = block.on_refusal(Timestamp::from_millis(660_000), &STEPS[..1]);
    assert_eq!(next, Some(Span::from_secs(60)));
}

#[test]
fn blocked_until_exactly_the_end() {
    let mut block = Block::default();
    assert_eq!(block.blocked(Timestamp::ZERO), None);
    block.on_refusal(Timestamp::from_millis(5), STEPS);
    let end = Timestamp::from_millis(60_005);
    assert_eq!(
        block.blocked(end - Span::from_micros(1)),
        Some(Span::from_micros(1))
    );
    assert_eq!(block.blocked(end), None);
}

#[test]
fn time_that_goes_back_lengthens_a_block_by_the_step_at_most() {
    let mut block = Block::default();
    block.on_refusal(Timestamp::from_millis(5_000), STEPS);
    assert_eq!(
        block.on_refusal(Timestamp::from_millis(4_000), STEPS),
        Some(Span::from_secs(61))
    );
}

#[test]
fn extremes_do_not_panic() {
    let mut block = Block {
        until: Timestamp::ZERO,
        taken: u32::MAX,
    };
    assert_eq!(
        block.on_refusal(Timestamp::ZERO, STEPS),
        Some(Span::from_secs(3600))
    );
    assert_eq!(
        block.on_refusal(Timestamp::MAX, &[Span::MAX]),
        Some(Span::MAX)
    );
}

#[test]
fn stored_and_read_back() {
    let mut block = Block::default();
    block.on_refusal(Timestamp::from_millis(1_700_000_000_000), STEPS);
    let mut bytes = Vec::new();
    block.encode(&mut bytes);
    for cut in 0..bytes.len() {
        assert_eq!(Block::decode(&bytes[..cut]), None, "{cut} bytes");
    }
    bytes.push(7);
    assert_eq!(Block::decode(&bytes), Some((block, &[7][..])));
    bytes[0] = VERSION + 1;
    assert_eq!(Block::decode(&bytes), None);
}
