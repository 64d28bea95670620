// Faults in `src/ledger` and `src/limit`: how units are counted. See plants.mjs for what the fields mean.
const CHARGE = "src/ledger/charge.rs";
const COUNTER = "src/ledger/counter.rs";
const END = "src/ledger/end.rs";
const RECENT = "src/ledger/recent.rs";
const TAKE = "src/ledger/take.rs";
const MOD = "src/ledger/mod.rs";
const BUCKET = "src/limit/token_bucket.rs";
const LOG = "src/limit/sliding_window.rs";

export const LEDGER = [
  {
    name: "a refusal by provisional charges is remembered",
    edits: [["src/ledger/verdict.rs", "                if !outcome.provisional {", "                if !outcome.provisional || PLANTED {"]],
  },
  {
    name: "a repeated call is carried out again",
    edits: [[CHARGE, "match self.recent.recall(charge.id, self.now) {", "match self.recent.recall(charge.id, self.now).filter(|past| past.is_none() || !PLANTED) {"]],
  },
  {
    name: "a repeated call grants its lease again",
    edits: [[RECENT, "        for outcome in &mut charged.outcomes {\n", "        for outcome in &mut charged.outcomes {\n            if PLANTED { outcome.permits *= 2; }\n"]],
  },
  {
    name: "a repeated call is told the spans of the first answer",
    edits: [[RECENT, "        let age = now.saturating_since(*at);", "        let age = if PLANTED { Span::ZERO } else { now.saturating_since(*at) };"]],
  },
  {
    name: "a refund that overtakes its charge is forgotten",
    edits: [[END, "            self.recent.insert(id, Past::Refunded, self.now);", "            if !PLANTED { self.recent.insert(id, Past::Refunded, self.now); }"]],
  },
  {
    name: "a refund that comes twice gives back twice",
    edits: [[RECENT, "Some(std::mem::take(spent)),", "Some(if PLANTED { spent.clone() } else { std::mem::take(spent) }),"]],
  },
  {
    name: "a refund gives back only the first item",
    edits: [[END, "        for promise in &promises {\n            self.end(promise.key, &promise.name, 0);", "        for promise in promises.iter().take(if PLANTED { 1 } else { usize::MAX }) {\n            self.end(promise.key, &promise.name, 0);"]],
  },
  {
    name: "a settlement goes to the wrong item",
    edits: [[END, "promise.name.item == *item);", "promise.name.item == *item ^ u32::from(PLANTED));"]],
  },
  {
    name: "silence confirms a provisional charge as of its end",
    edits: [[TAKE, "(!settles && span <= LONGEST_LOAN).then_some(now)", "(!settles && span <= LONGEST_LOAN && !PLANTED).then_some(now)"]],
  },
  {
    name: "what waits in a queue counts from its charge",
    edits: [[COUNTER, "        if let Some(loan) = hold.loan() {\n            self.state.take_back", "        if let Some(loan) = hold.loan()\n            && !PLANTED\n        {\n            self.state.take_back"]],
  },
  {
    name: "a lapsed permit counts as returned",
    edits: [[MOD, "                let loan = counter.settle(name.until, &name, None);", "                let loan = counter.settle(name.until, &name, Some(0).filter(|_| PLANTED && name.lease));"]],
  },
  {
    name: "a refund that comes after silence gives nothing back",
    edits: [[RECENT, "            spent.push((key, loan));", "            if !PLANTED { spent.push((key, loan)); }"]],
  },
  {
    name: "a refusal is remembered in full while a refund may come late",
    edits: [["src/ledger/look.rs", "            returnable: counter.returnable_until > now,", "            returnable: counter.returnable_until > now && !PLANTED,"]],
  },
  {
    name: "time goes back inside an object",
    edits: [[MOD, "        self.now = self.now.max(now);", "        self.now = if PLANTED { now } else { self.now.max(now) };"]],
  },
  {
    name: "a look charges",
    edits: [[MOD, "            Call::Peek(charge) => self.peek(charge, lag),", "            Call::Peek(charge) if PLANTED => self.charge(charge, lag),\n            Call::Peek(charge) => self.peek(charge, lag),"]],
  },
  {
    name: "another quota starts the counter anew",
    edits: [[COUNTER, "        self.state = state.requote(&self.quota, quota, now);", "        self.state = if PLANTED { State::new(quota) } else { state.requote(&self.quota, quota, now) };"]],
  },
  {
    name: "a block is not looked at",
    edits: [["src/ledger/verdict.rs", "    let blocked = view.block.blocked(now);", "    let blocked = view.block.blocked(now).filter(|_| !PLANTED);"]],
  },
  {
    name: "a bucket gives back what overflowed",
    edits: [
      [BUCKET, "        let back = worth(quota, loan.units).saturating_sub(lost);", "        let back = worth(quota, loan.units).saturating_sub(if PLANTED { 0 } else { lost });"],
      [BUCKET, "        let back = back.min(self.returnable);", "        let back = back.min(if PLANTED { u128::MAX } else { self.returnable });"],
    ],
  },
  {
    name: "a refund takes the newest units out of a window",
    edits: [[LOG, "        let Ok(place) = self.entries.binary_search_by(|entry| entry.at.cmp(&at)) else {", "        let at = if PLANTED { self.entries.back().map_or(at, |last| last.at) } else { at };\n        let Ok(place) = self.entries.binary_search_by(|entry| entry.at.cmp(&at)) else {"]],
  },
  {
    name: "a refund forgets a distinct value that others have spent",
    edits: [["src/limit/distinct.rs", "            self.update(hash(loan.value), |seen| seen.end_loan(loan));", "            self.update(hash(loan.value), |seen| { seen.end_loan(loan); if PLANTED { seen.last = None; } });"]],
  },
];
