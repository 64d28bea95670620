//! Whatever is asked in whatever order: `Slots` does what the slow model does.

use proptest::prelude::*;
use proptest::sample::Index;

use super::model::Model;
use super::*;

/// Whom a deed is about, found out when its time has come.
#[derive(Clone, Debug)]
enum Who {
    New,
    /// One that runs or waits.
    Live(Index),
    /// One that was heard of at some time.
    Known(Index),
}

#[derive(Clone, Debug)]
enum Deed {
    Acquire(Who, Slot, Span),
    Release(Who),
    Renew(Who),
    Gone(Who),
    Tick,
    Restart,
}

impl Who {
    fn id(self, model: &Model, known: &mut u64) -> CallId {
        let live = model.live();
        match self {
            Who::Live(index) if !live.is_empty() => *index.get(&live),
            Who::Known(index) if *known > 0 => {
                CallId(u64::try_from(index.index(usize::try_from(*known).unwrap())).unwrap())
            }
            _ => {
                *known += 1;
                CallId(*known - 1)
            }
        }
    }
}

fn new_or_old() -> impl Strategy<Value = Who> {
    prop_oneof![9 => Just(Who::New), 1 => any::<Index>().prop_map(Who::Known)]
}

fn live_or_any() -> impl Strategy<Value = Who> {
    prop_oneof![
        8 => any::<Index>().prop_map(Who::Live),
        1 => any::<Index>().prop_map(Who::Known),
        1 => Just(Who::New),
    ]
}

fn any_slot() -> impl Strategy<Value = Slot> {
    let fair = prop::option::weighted(0.7, 0..4u64);
    let bounds = (1..3u8, 1..4u32, 0..9u32, 0..6u64);
    (bounds, fair, prop::bool::weighted(0.95)).prop_map(
        |((n, running, waiting, wait_s), fair, enforce)| Slot {
            fair,
            enforce,
            ..slot(n, running, waiting, wait_s * 1_000)
        },
    )
}

fn any_deed() -> impl Strategy<Value = Deed> {
    let lease = (2..9u64).prop_map(Span::from_secs);
    prop_oneof![
        12 => (new_or_old(), any_slot(), lease).prop_map(|(who, slot, lease)| Deed::Acquire(who, slot, lease)),
        5 => live_or_any().prop_map(Deed::Release),
        2 => live_or_any().prop_map(Deed::Renew),
        1 => live_or_any().prop_map(Deed::Gone),
        1 => Just(Deed::Tick),
        1 => Just(Deed::Restart),
    ]
}

/// Ticks an object and its model at every event until `now`, and shows that nothing happens before.
fn pass(slots: &mut Slots, model: &mut Model, now: Timestamp) -> Result<(), TestCaseError> {
    while let Some(event) = slots.next_event()
        && event <= now
    {
        let before = (slots.running(), slots.waiting(), slots.revision());
        slots.tick(event - Span::from_micros(1));
        prop_assert_eq!((slots.running(), slots.waiting(), slots.revision()), before);
        slots.tick(event);
        model.tick(event);
        prop_assert_ne!((slots.running(), slots.waiting(), slots.revision()), before);
        prop_assert_eq!(slots.drain_resolved(), std::mem::take(&mut model.resolved));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn one_key_a_call_is_what_the_model_does(
        deeds in prop::collection::vec((0..2_500u64, any_deed()), 1..120),
        punctual in any::<bool>(),
    ) {
        let (mut slots, mut model) = (Slots::new(), Model::default());
        let (mut ms, mut known) = (0, 0);
        for (gap, deed) in deeds {
            // Many things happen in the same instant.
            ms += gap.saturating_sub(1_500) / 250 * 250;
            let now = at(ms);
            if punctual {
                pass(&mut slots, &mut model, now)?;
            }
            match deed {
                Deed::Acquire(who, slot, lease) => {
                    let id = who.id(&model, &mut known);
                    let call = Acquire { id, items: vec![slot], lease };
                    prop_assert_eq!(slots.acquire(&call, now), model.acquire(&call, now));
                }
                Deed::Release(who) => {
                    let id = who.id(&model, &mut known);
                    prop_assert_eq!(slots.release(id, now), model.release(id, now));
                }
                Deed::Renew(who) => {
                    let id = who.id(&model, &mut known);
                    prop_assert_eq!(slots.renew(id, now), model.renew(id, now));
                }
                Deed::Gone(who) => {
                    let id = who.id(&model, &mut known);
                    prop_assert_eq!(slots.gone(id, now), model.gone(id, now));
                }
                Deed::Tick => {
                    slots.tick(now);
                    model.tick(now);
                }
                Deed::Restart => {
                    slots.tick(now);
                    model.tick(now);
                    prop_assert_eq!(slots.drain_resolved(), std::mem::take(&mut model.resolved));
                    slots = Slots::restore(&slots.snapshot(now), now).expect("its own snapshot");
                    model.restart();
                }
            }
            prop_assert_eq!(slots.drain_resolved(), std::mem::take(&mut model.resolved));
            prop_assert_eq!(slots.stats().collect::<Vec<_>>(), model.stats());
            prop_assert_eq!(slots.next_event(), model.next_event());
        }
        slots.tick(Timestamp::MAX);
        prop_assert_eq!((slots.running(), slots.waiting(), slots.pools.len()), (0, 0, 0));
    }
}
