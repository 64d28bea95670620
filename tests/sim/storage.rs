//! What is on its way to an object's disk: it arrives, or it fails after it was accepted.

use super::oracle::UNFLUSHED;
use super::scenario::{MS, SECOND};
use super::world::{Event, World};

/// What failed behind is written again after the flush interval, and durable after what a disk takes.
const WRITTEN_AGAIN: u64 = UNFLUSHED + 200 * MS;

impl World {
    pub fn commit(&mut self, name: &str, mark: u64) {
        let now = self.now;
        let (Some(object), rng) = (self.objects.get_mut(name), &mut self.rng) else {
            return;
        };
        let failed = object.disk.borrow_mut().commit(mark, || rng.permille(500));
        if failed.is_empty() {
            return;
        }
        let shadow = object.shadow + (now - object.last_event.min(now));
        let since = object
            .unwritten_since(now)
            .unwrap_or(shadow)
            .min(shadow.saturating_sub(2 * SECOND + UNFLUSHED));
        object.unwritten = Some((since, now + WRITTEN_AGAIN));
        let epoch = object.epoch;
        for row in failed {
            self.trace.note(now, || {
                format!("  {} has written in vain: {row:?}", &name[..4])
            });
            let object = name.to_owned();
            let told = self.rng.range(0, 5 * MS);
            self.after(told, Event::WriteFailed { object, row, epoch });
        }
        // The platform goes by the alarm that is stored.
        self.set_alarm(name);
    }

    pub fn write_failed(&mut self, name: &str, row: Option<String>, epoch: u32) {
        let now = self.now;
        let Some(object) = self.objects.get_mut(name) else {
            return;
        };
        if object.epoch != epoch {
            return;
        }
        object.advance_shadow(now);
        let clock = object.clock(now);
        if let Some(ledger) = object.ledger.as_mut() {
            ledger.write_failed(row.as_deref(), clock);
        }
        self.arrange(name);
    }
}
