//! What objects may forget, and what they must.

use weir::limit::Algorithm;
use weir::wire::CounterKey;

use super::{Fate, Oracle, RELAXED, UNFLUSHED, quota};
use crate::object::Object;
use crate::scenario::SECOND;

impl Oracle {
    /// An operator had counters forgotten.
    pub fn forgotten(&mut self, object: &Object, keys: &[CounterKey]) {
        for key in keys {
            if let Some(log) = self.logs.get_mut(&(object.name.clone(), *key)) {
                log.entries
                    .iter_mut()
                    .for_each(|entry| entry.forgiven = true);
                log.block_until = 0;
            }
        }
    }

    /// An object has left memory in a crash, or (`idle`) because nobody called.
    pub fn memory_lost(&mut self, object: &Object, idle: bool, now: u64) {
        let broken = object.broken_since.map(|since| {
            object
                .shadow
                .saturating_sub(now.saturating_sub(since) + 4 * SECOND)
        });
        let unwritten = object.unwritten_since(now).filter(|_| !idle);
        let logs = self
            .logs
            .iter_mut()
            .filter(|((name, _), _)| *name == object.name);
        for (_, log) in logs {
            quota::forgive(log, object.shadow, idle, [broken, unwritten]);
            if broken.is_some() {
                log.block_until = 0;
            }
            // Nobody remembers whose promise it was: what was given back lately may be in the row.
            for entry in &mut log.entries {
                let back_lately = entry.fate == Fate::Refunded
                    && entry.ended.is_some_and(|at| {
                        !idle && at + UNFLUSHED + SECOND > object.shadow
                            || broken.is_some()
                            || unwritten.is_some_and(|since| at >= since)
                    });
                if back_lately {
                    entry.fate = Fate::Pending;
                }
                let stored_as_ended = entry
                    .ended
                    .is_some_and(|at| idle || at + RELAXED <= object.shadow);
                if !stored_as_ended && entry.span > 0 {
                    // What was held is stored as spent when it was written.
                    entry.to = entry.from;
                }
            }
        }
    }

    /// An object's time went back while it was not in memory: what was is so much nearer.
    pub fn set_back(&mut self, object: &Object, by: u64) {
        let logs = self
            .logs
            .iter_mut()
            .filter(|((name, _), _)| *name == object.name);
        for (_, log) in logs {
            let algorithm = log.item.quota.algorithm;
            let aligned = matches!(
                algorithm,
                Algorithm::FixedWindow | Algorithm::SlidingCounter
            );
            for entry in &mut log.entries {
                // Where windows are aligned, units that are moved are not in the windows they filled.
                entry.forgiven |= aligned;
                entry.from = entry.from.saturating_sub(by);
                entry.to = entry.to.saturating_sub(by);
                entry.ended = entry.ended.map(|at| at.saturating_sub(by));
            }
            log.block_until = log.block_until.saturating_sub(by);
        }
    }
}
