//! The form of messages: sections parted by `~`, fields parted by `.`.
//!
//! The first section starts with the version and a letter for the kind of message; every further
//! section is one item. An empty field stands for the default, and empty fields at the end of a
//! section are not written. A reader ignores fields beyond those it knows and takes the default for
//! those that are missing: a field may be added at the end of a section, with a default that means
//! "as before", without a new version. Anything else needs one.

use super::text;
use super::{CallId, CounterKey};
use crate::time::Span;

/// The version of the form, as the first character of every message.
const VERSION: u8 = b'1';

/// Items in one message. A request meets a handful of limits.
pub const MAX_ITEMS: usize = 64;

/// Steps of one `block`.
pub const MAX_BLOCK_STEPS: usize = 16;

/// Characters in one message: 64 items of the longest kind take about 12,000.
const MAX_CHARS: usize = 16_384;

pub(super) struct Writer {
    text: Vec<u8>,
    /// Separators that the next field that is not empty has to write first.
    owed: usize,
}

impl Writer {
    pub(super) fn new(kind: u8) -> Writer {
        Writer::after("", kind)
    }

    /// A message behind another text.
    pub(super) fn after(before: &str, kind: u8) -> Writer {
        let mut text = Vec::with_capacity(before.len().saturating_add(160));
        text.extend_from_slice(before.as_bytes());
        text.push(VERSION);
        text.push(kind);
        Writer { text, owed: 1 }
    }

    pub(super) fn section(&mut self) {
        self.text.push(b'~');
        self.owed = 0;
    }

    /// Where the next field is written.
    fn field(&mut self) -> &mut Vec<u8> {
        while self.owed > 0 {
            self.text.push(b'.');
            self.owed = self.owed.saturating_sub(1);
        }
        self.owed = 1;
        &mut self.text
    }

    fn empty(&mut self) {
        self.owed = self.owed.saturating_add(1);
    }

    /// A number; `default` is written as nothing.
    pub(super) fn number(&mut self, number: u64, default: u64) {
        if number == default {
            self.empty();
        } else {
            text::push_number(self.field(), number);
        }
    }

    pub(super) fn optional(&mut self, number: Option<u64>) {
        match number {
            None => self.empty(),
            Some(number) => text::push_number(self.field(), number),
        }
    }

    pub(super) fn span(&mut self, span: Span) {
        self.number(span.as_micros(), 0);
    }

    pub(super) fn optional_span(&mut self, span: Option<Span>) {
        self.optional(span.map(Span::as_micros));
    }

    pub(super) fn spans(&mut self, spans: &[Span]) {
        if spans.is_empty() {
            return self.empty();
        }
        let text = self.field();
        for (place, span) in spans.iter().enumerate() {
            if place > 0 {
                text.push(b'-');
            }
            text::push_number(text, span.as_micros());
        }
    }

    pub(super) fn id(&mut self, id: CallId) {
        text::push_number(self.field(), id.0);
    }

    pub(super) fn key(&mut self, key: CounterKey) {
        text::push_name(self.field(), key.0);
    }

    /// A key that most often equals the one before it.
    pub(super) fn key_unless(&mut self, key: CounterKey, default: CounterKey) {
        if key == default {
            self.empty()
        } else {
            self.key(key)
        }
    }

    pub(super) fn finish(self) -> String {
        text::to_string(self.text)
    }
}

/// The kind of message, the rest of its first section, and its items.
pub(super) fn read(text: &str) -> Option<(u8, Fields<'_>, Pieces<'_>)> {
    if text.len() > MAX_CHARS {
        return None;
    }
    let mut sections = Pieces(Some(text.as_bytes()));
    let mut head = Fields(Pieces(sections.cut(b'~')));
    let [VERSION, kind] = *head.0.cut(b'.')? else {
        return None;
    };
    Some((kind, head, sections))
}

/// What is left to be read, to be cut into pieces; None once the last piece is read.
pub(super) struct Pieces<'a>(Option<&'a [u8]>);

impl<'a> Pieces<'a> {
    /// What stands before the next `mark`, or all that is left.
    fn cut(&mut self, mark: u8) -> Option<&'a [u8]> {
        let text = self.0?;
        let mut end = 0_usize;
        for byte in text {
            if *byte == mark {
                self.0 = text.get(end.saturating_add(1)..);
                return text.get(..end);
            }
            end = end.saturating_add(1);
        }
        self.0 = None;
        Some(text)
    }

    /// Reads every item; None where one cannot be read or there are more than `most`.
    pub(super) fn items<T>(
        mut self,
        most: usize,
        mut read: impl FnMut(&mut Fields<'a>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut items = Vec::new();
        while let Some(section) = self.cut(b'~') {
            if items.len() >= most {
                return None;
            }
            items.push(read(&mut Fields(Pieces(Some(section))))?);
        }
        Some(items)
    }
}

/// The fields of one section, from left to right. Every reader gives None for what it cannot read.
pub(super) struct Fields<'a>(Pieces<'a>);

impl<'a> Fields<'a> {
    fn text(&mut self) -> &'a [u8] {
        self.0.cut(b'.').unwrap_or_default()
    }

    pub(super) fn number(&mut self, default: u64) -> Option<u64> {
        self.optional().map(|number| number.unwrap_or(default))
    }

    pub(super) fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number(0)?).ok()
    }

    pub(super) fn optional(&mut self) -> Option<Option<u64>> {
        match self.text() {
            [] => Some(None),
            text => text::number(text).map(Some),
        }
    }

    pub(super) fn span(&mut self) -> Option<Span> {
        self.number(0).map(Span::from_micros)
    }

    pub(super) fn optional_span(&mut self) -> Option<Option<Span>> {
        self.optional().map(|number| number.map(Span::from_micros))
    }

    pub(super) fn spans(&mut self, most: usize) -> Option<Vec<Span>> {
        let text = self.text();
        if text.is_empty() {
            return Some(Vec::new());
        }
        let mut spans = Vec::new();
        let mut numbers = Pieces(Some(text));
        while let Some(number) = numbers.cut(b'-') {
            if spans.len() >= most {
                return None;
            }
            spans.push(Span::from_micros(text::number(number)?));
        }
        Some(spans)
    }

    pub(super) fn id(&mut self) -> Option<CallId> {
        text::number(self.text()).map(CallId)
    }

    pub(super) fn key(&mut self) -> Option<CounterKey> {
        text::name(self.text()).map(CounterKey)
    }

    pub(super) fn key_or(&mut self, default: CounterKey) -> Option<CounterKey> {
        match self.text() {
            [] => Some(default),
            text => text::name(text).map(CounterKey),
        }
    }
}
