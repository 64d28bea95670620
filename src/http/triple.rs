//! The older dialects: three single-valued fields that can describe one limit only.

use super::fields::{Field, QuotaView};

/// The names of the three fields of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triple {
    /// Units in all.
    pub limit: &'static str,
    /// Units left.
    pub remaining: &'static str,
    /// Seconds until more are left.
    pub reset: &'static str,
}

impl Triple {
    /// The three fields for the limit that matters most; nothing for no view.
    #[must_use]
    pub fn fields(self, views: &[QuotaView<'_>]) -> Vec<Field> {
        let Some(view) = binding(views) else {
            return Vec::new();
        };
        vec![
            (self.limit, view.quota.to_string()),
            (self.remaining, view.remaining.to_string()),
            (self.reset, view.reset_s().to_string()),
        ]
    }

    /// True where one of the three has this name.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        [self.limit, self.remaining, self.reset].contains(&name)
    }

    /// Whether what the origin says under these names is to be left as it is: it is at least as
    /// tight as ours, or cannot be read. Units left decide: a client must never see more of them
    /// than before.
    #[must_use]
    pub fn origin_stands(
        self,
        ours: &[(&str, String)],
        origin: &dyn Fn(&str) -> Option<String>,
    ) -> bool {
        let theirs = |name| origin(name).map(|value| number(&value));
        let own = |name| {
            let mut fields = ours.iter();
            fields
                .find(|(field, _)| *field == name)
                .and_then(|(_, value)| number(value))
        };
        match theirs(self.remaining) {
            // It may say half of it, but what it says stays.
            None => theirs(self.limit).is_some() || theirs(self.reset).is_some(),
            Some(None) => true,
            Some(Some(left)) => match own(self.remaining) {
                None => true,
                Some(ours) if left != ours => left < ours,
                Some(_) => match (theirs(self.reset), own(self.reset)) {
                    (Some(Some(theirs)), Some(ours)) => theirs >= ours,
                    _ => true,
                },
            },
        }
    }
}

/// The view that a single-valued dialect describes: where some refuse, the one that readmits last;
/// else the one with the smallest share left, of equals the one that takes longest to grow.
fn binding<'a, 'n>(views: &'a [QuotaView<'n>]) -> Option<&'a QuotaView<'n>> {
    // Earlier views win ties: the order is the policy's.
    let refusing = views.iter().rev().filter(|view| view.refuses);
    if let Some(last) = refusing.max_by_key(|view| view.reset) {
        return Some(last);
    }
    views.iter().min_by(|a, b| {
        let left = |own: &QuotaView<'_>, other: &QuotaView<'_>| {
            u128::from(own.remaining).saturating_mul(other.quota.into())
        };
        left(a, b).cmp(&left(b, a)).then(b.reset.cmp(&a.reset))
    })
}

fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    // `u64` would also read a plus sign.
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}
