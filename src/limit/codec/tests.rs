use super::*;
use crate::time::Span;

fn quota(algorithm: Algorithm) -> Quota {
    Quota {
        algorithm,
        limit: 5,
        window: Span::from_secs(10),
        burst: 5,
    }
}

const ALL: [Algorithm; 5] = [
    Algorithm::TokenBucket,
    Algorithm::SlidingWindow,
    Algorithm::SlidingCounter,
    Algorithm::FixedWindow,
    Algorithm::Distinct,
];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Two units spent at 1 s and one held until stored at 3 s.
fn sample(algorithm: Algorithm) -> Vec<u8> {
    let quota = quota(algorithm);
    let mut state = State::new(&quota);
    state.spend(&quota, Timestamp::from_millis(1_000), 2, Some(0xabcd));
    state.hold(&quota, Timestamp::from_millis(2_000), 1, Some(7));
    let mut bytes = Vec::new();
    state.encode(&quota, Timestamp::from_millis(3_000), &mut bytes);
    bytes
}

#[test]
fn the_stored_form_is_frozen() {
    for (algorithm, want) in [
        (Algorithm::TokenBucket, "0101c09fab0300"),
        (Algorithm::SlidingWindow, "010202c0843d0280897a01"),
        (Algorithm::SlidingCounter, "0103000300"),
        (Algorithm::FixedWindow, "01040003"),
        (
            Algorithm::Distinct,
            "010502c0843dcdab00000000000080897a0700000000000000",
        ),
    ] {
        assert_eq!(hex(&sample(algorithm)), want, "{algorithm:?}");
    }
}

#[test]
fn read_back_equals_what_was_stored_and_leaves_the_rest() {
    for algorithm in ALL {
        let mut bytes = sample(algorithm);
        bytes.extend_from_slice(b"rest");
        let (state, rest) = State::decode(&bytes).unwrap();
        assert_eq!(rest, b"rest", "{algorithm:?}");
        let mut again = Vec::new();
        state.encode(&quota(algorithm), Timestamp::from_millis(3_000), &mut again);
        assert_eq!(again, sample(algorithm), "{algorithm:?}");
    }
}

#[test]
fn every_truncation_is_refused() {
    for algorithm in ALL {
        let bytes = sample(algorithm);
        for cut in 0..bytes.len() {
            assert_eq!(
                State::decode(&bytes[..cut]),
                None,
                "{algorithm:?}, {cut} bytes"
            );
        }
    }
}

#[track_caller]
fn refused(bytes: &[u8]) {
    assert_eq!(State::decode(bytes), None);
}

#[test]
fn damage_is_refused() {
    refused(&[2, 4, 0, 3]); // another version
    refused(&[1, 6, 0, 3]); // no such algorithm
    refused(&[1, 0, 0, 3]);
    refused(&[1, 4, 0x80, 0, 3]); // not the shortest form
    refused(&[1, 4, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2, 0]); // 65 bits
    refused(&[1, 2, 1, 5, 0]); // an entry without units
    refused(&[1, 2, 2, 5, 1, 0, 1]); // one instant twice
    refused(&[1, 2, 255, 255, 255, 255, 15, 1, 1]); // more entries than bytes
    let twice = [&[1, 5, 2, 1][..], &[9; 8], &[1], &[9; 8]].concat();
    refused(&twice); // one value twice
    let overflow = [&[1, 2, 2][..], &[255; 9], &[1, 1, 1, 1]].concat();
    refused(&overflow); // time past the end
}

#[test]
fn more_entries_than_may_be_are_refused() {
    for count in [MAX_ENTRIES, MAX_ENTRIES + 1] {
        let mut bytes = vec![1, 2];
        put_count(&mut bytes, count);
        for _ in 0..count {
            bytes.extend_from_slice(&[1, 1]);
        }
        assert_eq!(State::decode(&bytes).is_some(), count == MAX_ENTRIES);
    }
}

#[test]
fn varints_at_their_edges() {
    for number in [
        0,
        1,
        127,
        128,
        16_383,
        16_384,
        u64::from(u32::MAX),
        u64::MAX - 1,
        u64::MAX,
    ] {
        let mut bytes = Vec::new();
        put_varint(&mut bytes, number);
        assert_eq!(Reader::new(&bytes).varint(), Some(number));
    }
}
