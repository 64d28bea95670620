//! Timers, which keep objects in memory, and alarms, which bring them back.

use weir::time::Timestamp;

use super::scenario::MS;
use super::world::{Event, World};

impl World {
    pub fn set_timer(&mut self, name: &str, wanted: Option<Timestamp>) {
        let now = self.now;
        let Some(object) = self.objects.get(name) else {
            return;
        };
        let clock = object.clock(now);
        match (object.timer, wanted) {
            (Some((at, _)), Some(wanted)) if at <= wanted => return,
            (None, None) => return,
            _ => {}
        }
        let timer = wanted.map(|at| {
            let wait = at.saturating_since(clock).as_millis_ceil() * MS;
            let token = self.after(
                wait,
                Event::Wake {
                    object: name.to_owned(),
                    token: self.next_token(),
                },
            );
            (at, token)
        });
        if let Some(object) = self.objects.get_mut(name) {
            object.timer = timer;
        }
    }

    pub fn wake(&mut self, name: &str, token: u64) {
        let now = self.now;
        let Some(object) = self.objects.get_mut(name) else {
            return;
        };
        if object.timer.is_none_or(|(_, pending)| pending != token) {
            return;
        }
        object.timer = None;
        object.last_event = now;
        object.advance_shadow(now);
        let clock = object.clock(now);
        if let Some(ledger) = object.ledger.as_mut() {
            ledger.wake(clock);
        }
        self.arrange(name);
    }

    /// Has the platform call at the alarm that the disk holds.
    pub fn set_alarm(&mut self, name: &str) {
        let Some(object) = self.objects.get(name) else {
            return;
        };
        let Some(at) = object.disk.borrow().alarm() else {
            return;
        };
        let wait = at.saturating_since(object.clock(self.now)).as_millis_ceil() * MS;
        self.after(
            wait,
            Event::Alarm {
                object: name.to_owned(),
                at,
            },
        );
    }

    pub fn alarm(&mut self, name: &str, at: Timestamp) {
        let now = self.now;
        let Some(object) = self.objects.get_mut(name) else {
            return;
        };
        if object.disk.borrow().alarm() != Some(at) {
            return;
        }
        if object.clock(now) < at || object.down_until > now {
            let wait = at.saturating_since(object.clock(now)).as_millis_ceil() * MS;
            self.after(
                wait.max(100 * MS),
                Event::Alarm {
                    object: name.to_owned(),
                    at,
                },
            );
            return;
        }
        self.bring_in(name);
        let Some(object) = self.objects.get_mut(name) else {
            return;
        };
        object.disk.borrow_mut().set_alarm(None);
        object.last_event = now;
        object.advance_shadow(now);
        let clock = object.clock(now);
        if let Some(ledger) = object.ledger.as_mut() {
            ledger.alarm(clock);
        }
        let rows = object.disk.borrow().rows();
        self.trace.note(now, || {
            format!("  {} alarm; {rows} rows are left", &name[..4])
        });
        self.arrange(name);
    }
}
