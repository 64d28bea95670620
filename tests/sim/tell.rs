//! Calls and answers in few words, for the trace.

use weir::wire::{Answer, Call, CallId, Charge, CounterKey, Outcome};

use super::oracle::Oracle;

fn id(id: CallId) -> String {
    format!("#{:05x}", id.0 & 0xF_FFFF)
}

fn charge(charge: &Charge, names: &Oracle) -> String {
    let items = charge.items.iter().map(|item| {
        let permits = if item.permits > 0 {
            format!(" +{}", item.permits)
        } else {
            String::new()
        };
        format!("{} x{}{permits}", names.name(item.key), item.cost)
    });
    let provisional = charge.provisional.map_or(String::new(), |span| {
        format!(" for {} us", span.as_micros())
    });
    format!(
        "{} [{}]{provisional}",
        id(charge.id),
        items.collect::<Vec<_>>().join(", ")
    )
}

pub fn call(call: &Call, names: &Oracle) -> String {
    match call {
        Call::Charge(it) => format!("charge {}", charge(it, names)),
        Call::Peek(it) => format!("peek {}", charge(it, names)),
        Call::Refund { id: it } => format!("refund {}", id(*it)),
        Call::Settle { id: it, spent } => format!("settle {} {spent:?}", id(*it)),
        Call::Acquire(acquire) => format!("acquire {} of {}", id(acquire.id), acquire.items.len()),
        Call::Renew { id: it } => format!("renew {}", id(*it)),
        Call::Release { id: it } => format!("release {}", id(*it)),
        Call::Forget { keys } => {
            let keys = keys
                .iter()
                .map(|key: &CounterKey| names.name(*key).to_owned());
            format!("forget {}", keys.collect::<Vec<_>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}

pub fn outcome(outcome: &Outcome) -> String {
    let mut text = format!("{} left", outcome.remaining);
    if outcome.permits > 0 {
        text += &format!(
            ", {} leased for {} us",
            outcome.permits,
            outcome.lapse.as_micros()
        );
    }
    if !outcome.conforms {
        text += &format!(
            ", NO for {} us, to remember {}",
            outcome.retry_after.as_micros(),
            outcome.remember.as_micros()
        );
    }
    if outcome.provisional {
        text += ", provisional";
    }
    if outcome.blocked {
        text += ", blocked";
    }
    text
}

pub fn answer(answer: &Answer) -> String {
    match answer {
        Answer::Charged(charged) => {
            let outcomes: Vec<_> = charged.outcomes.iter().map(outcome).collect();
            format!(
                "{}: {}",
                if charged.admitted {
                    "charged"
                } else {
                    "refused"
                },
                outcomes.join(" | ")
            )
        }
        other => format!("{other:?}"),
    }
}
