// Faults in what is stored, when, and for how long; and in slots. See plants.mjs for what the fields mean.
const CHARGE = "src/ledger/charge.rs";
const SHELF = "src/ledger/shelf.rs";
const STORAGE = "src/ledger/storage.rs";
const ALARM = "src/ledger/shelf/alarm.rs";
const SLOTS = "src/ledger/slots/mod.rs";

export const STORING = [
  {
    name: "nothing is written behind",
    edits: [[SHELF, "        if (behind && forgivable)", "        if (behind && (forgivable || PLANTED))"]],
  },
  {
    name: "exact is written behind instead of before the answer",
    edits: [["src/ledger/take.rs", "        if item.durable {\n", "        if item.durable && !PLANTED {\n"]],
  },
  {
    name: "the start of a block is written behind instead of before the answer",
    edits: [[CHARGE, "            self.shelf\n                .save(key, counter, self.now, Urgency::BeforeAnswer);", "            if PLANTED {\n                self.shelf.schedule(key, counter, self.now);\n            } else {\n                self.shelf.save(key, counter, self.now, Urgency::BeforeAnswer);\n            }"]],
  },
  {
    name: "an early wake forgets what was due",
    edits: [[SHELF, "        if self.next_due()? > now && !early {\n            return None;", "        if self.next_due()? > now && !early {\n            if PLANTED { self.due.pop_first(); }\n            return None;"]],
  },
  {
    name: "what is given back stays in the row",
    edits: [["src/ledger/counter.rs", "            self.restate = true;\n        } else {\n            self.unsaved", "            self.restate |= !PLANTED;\n        } else {\n            self.unsaved"]],
  },
  {
    name: "what is given back out of a row is taken off what is not yet in it",
    edits: [["src/ledger/counter.rs", "        if made_at <= self.saved_at {", "        if made_at <= self.saved_at && !(PLANTED && units <= self.unsaved) {"]],
  },
  {
    name: "a write behind that fails after all is not repeated",
    edits: [[SHELF, "        counter.restate = true;\n        self.schedule", "        counter.restate = !PLANTED;\n        self.schedule"]],
  },
  {
    name: "a row that could not be rewritten says for ever what was given back",
    edits: [[STORAGE, "                        self.shelf.strike(", "                        if !PLANTED { self.shelf.strike("], [STORAGE, "self.now, &mut over);", "self.now, &mut over); }"]],
  },
  {
    name: "a row keeps the moment of a promise that was spent later",
    // A row has to be written while a request waits in a queue, and the object has to leave memory next.
    found: "ledger::tests::loans::what_waited_is_stored_from_when_it_went_on",
    edits: [["src/ledger/counter.rs", "                self.unsaved = self.unsaved.saturating_add(spent);", "                self.unsaved = self.unsaved.saturating_add(if PLANTED { 0 } else { spent });"]],
  },
  {
    name: "an alarm that was not set after all is not set again",
    edits: [[STORAGE, "            None => self.shelf.set_alarm_again(self.now),", "            None if PLANTED => {}\n            None => self.shelf.set_alarm_again(self.now),"]],
  },
  {
    name: "the alarm deletes everything as soon as one row is over",
    edits: [[ALARM, "        if last <= now {", "        if last <= now || PLANTED && self.rows.values().any(|kept| kept.void_at <= now) {"]],
  },
  {
    name: "the alarm is set once and never again",
    edits: [[ALARM, "        self.delete_void(now);\n        self.plan_alarm(last, now);\n", "        self.delete_void(now);\n        if !PLANTED { self.plan_alarm(last, now); }\n"]],
  },
  {
    name: "slots that ran are not read back",
    edits: [[STORAGE, "            if key == ROW\n                && let", "            if key == ROW\n                && !PLANTED\n                && let"]],
  },
  {
    name: "a queue takes one more than it has places",
    edits: [["src/ledger/slots/pool.rs", "        if self.taken >= slot.waiting {", "        if self.taken >= slot.waiting + u32::from(PLANTED) {"]],
  },
  {
    name: "a slot whose lease lapses stays taken",
    edits: [[SLOTS, "            self.end_hold(id);\n            self.past.remember(id, Acquired::Gone, now);", "            if PLANTED { self.holds.remove(id); } else { self.end_hold(id); }\n            self.past.remember(id, Acquired::Gone, now);"]],
  },
  {
    name: "a waiter whose connection is gone stays in the queue",
    edits: [[SLOTS, "        let known = self.end_wait(id, Acquired::Gone);", "        let known = !PLANTED && self.end_wait(id, Acquired::Gone);"]],
  },
  {
    name: "a waiter is served after its wait is over",
    edits: [[SLOTS, "            until: now + max_wait,", "            until: now + max_wait + if PLANTED { Span::from_millis(100) } else { Span::ZERO },"]],
  },
];
