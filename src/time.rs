//! Instants and spans, in integer microseconds. The only place that converts units or rounds.
//!
//! Inside, everything is strict: spans that limit someone round up. Toward the client, seconds
//! round up too, so that a client that waits as told is never early.
//!
//! 2^53 µs after the epoch lies in the year 2255, so that every instant also survives a trip
//! through a JavaScript number.

/// An instant: microseconds since the Unix epoch, by the clock of whoever is deciding.
///
/// Two isolates' clocks are never compared: what crosses the wire is a [`Span`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

/// A length of time in microseconds. Never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

impl Timestamp {
    /// The epoch: earlier than any instant that a decision is made at.
    pub const ZERO: Timestamp = Timestamp(0);
    /// Later than any instant that a decision is made at.
    pub const MAX: Timestamp = Timestamp(u64::MAX);

    /// From microseconds since the epoch.
    #[must_use]
    pub const fn from_micros(us: u64) -> Self {
        Timestamp(us)
    }

    /// From milliseconds since the epoch, as `Date.now()` gives them.
    #[must_use]
    pub const fn from_millis(ms: u64) -> Self {
        Timestamp(ms.saturating_mul(1_000))
    }

    /// Microseconds since the epoch.
    #[must_use]
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Milliseconds since the epoch, rounded up: a timer set for it never fires early.
    #[must_use]
    pub const fn as_millis_ceil(self) -> u64 {
        self.0.div_ceil(1_000)
    }

    /// The time from `earlier` to here; nothing where `earlier` is later.
    #[must_use]
    pub const fn saturating_since(self, earlier: Timestamp) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl std::ops::Add<Span> for Timestamp {
    type Output = Timestamp;
    /// Saturates at [`Timestamp::MAX`].
    fn add(self, span: Span) -> Timestamp {
        Timestamp(self.0.saturating_add(span.0))
    }
}

impl std::ops::Sub<Span> for Timestamp {
    type Output = Timestamp;
    /// Saturates at [`Timestamp::ZERO`].
    fn sub(self, span: Span) -> Timestamp {
        Timestamp(self.0.saturating_sub(span.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);
    /// Longer than anything that is ever waited for: "never".
    pub const MAX: Span = Span(u64::MAX);

    /// From microseconds.
    #[must_use]
    pub const fn from_micros(us: u64) -> Self {
        Span(us)
    }

    /// From milliseconds.
    #[must_use]
    pub const fn from_millis(ms: u64) -> Self {
        Span(ms.saturating_mul(1_000))
    }

    /// From seconds.
    #[must_use]
    pub const fn from_secs(s: u64) -> Self {
        Span(s.saturating_mul(1_000_000))
    }

    /// Microseconds.
    #[must_use]
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Milliseconds, rounded up.
    #[must_use]
    pub const fn as_millis_ceil(self) -> u64 {
        self.0.div_ceil(1_000)
    }

    /// Whole seconds, rounded up: what `Retry-After` and `t` show.
    #[must_use]
    pub const fn as_secs_ceil(self) -> u64 {
        self.0.div_ceil(1_000_000)
    }

    /// Whole seconds, rounded down: only for showing a window that the operator wrote.
    #[must_use]
    pub const fn as_secs_floor(self) -> u64 {
        self.0 / 1_000_000
    }

    /// True for no time at all.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl std::ops::Add for Span {
    type Output = Span;
    /// Saturates at [`Span::MAX`].
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl std::ops::Sub for Span {
    type Output = Span;
    /// Saturates at [`Span::ZERO`].
    fn sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_up_toward_the_client() {
        assert_eq!(Span::from_micros(0).as_secs_ceil(), 0);
        assert_eq!(Span::from_micros(1).as_secs_ceil(), 1);
        assert_eq!(Span::from_micros(1_000_000).as_secs_ceil(), 1);
        assert_eq!(Span::from_micros(1_000_001).as_secs_ceil(), 2);
    }

    #[test]
    fn nothing_wraps() {
        assert_eq!(Timestamp::MAX + Span::MAX, Timestamp::MAX);
        assert_eq!(Timestamp::ZERO - Span::from_secs(1), Timestamp::ZERO);
        assert_eq!(Timestamp::ZERO.saturating_since(Timestamp::MAX), Span::ZERO);
        assert_eq!(Span::from_secs(u64::MAX), Span::MAX);
    }
}
