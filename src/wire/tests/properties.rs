//! Whatever is written is read back, and nothing that is read panics.

use super::*;
use proptest::prelude::*;

fn item() -> impl Strategy<Value = Item> {
    let quota = (1_u64.., 1_u64.., 1_u64..).prop_map(|(limit, window, burst)| Quota {
        algorithm: Algorithm::TokenBucket,
        limit,
        window: Span::from_micros(window),
        burst,
    });
    let span = || any::<u64>().prop_map(Span::from_micros);
    let numbers = (
        any::<u64>(),
        any::<Option<u64>>(),
        any::<u64>(),
        any::<[u8; 16]>(),
    );
    let rest = (
        any::<[bool; 2]>(),
        [prop::option::of(span()), prop::option::of(span())],
        prop::collection::vec(span(), 0..4),
    );
    (quota, numbers, rest).prop_map(
        |(quota, (cost, value, permits, name), (flags, [reserve, taken], block))| Item {
            key: CounterKey(name),
            spill: key(9),
            quota,
            cost,
            value,
            enforce: flags[0],
            durable: flags[1],
            block,
            permits,
            reserve,
            taken,
        },
    )
}

proptest! {
    #[test]
    fn a_charge_comes_back_as_it_was(
        id in any::<u64>(), span in any::<Option<u64>>(), items in prop::collection::vec(item(), 0..5),
    ) {
        let provisional = span.map(Span::from_micros);
        let call = Call::Charge(Charge { id: CallId(id), provisional, items });
        let text = call.encode();
        prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.~".contains(&b)));
        prop_assert_eq!(Call::decode(&text), Some(call));
    }

    #[test]
    fn nothing_panics(text in "1[a-z](\\.[0-9a-v]{0,14}){0,3}(~[A-Za-z0-9._-]{0,60}){0,4}", noise in ".*") {
        for text in [text, noise] {
            // Whatever can be read is written so that it reads the same.
            if let Some(call) = Call::decode(&text) {
                prop_assert_eq!(Call::decode(&call.encode()), Some(call));
            }
            if let Some(answer) = Answer::decode(&text) {
                prop_assert_eq!(Answer::decode(&answer.encode()), Some(answer));
            }
        }
    }
}
