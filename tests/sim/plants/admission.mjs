// Faults in `src/admission`. See plants.mjs for what the fields mean.
const VERDICT = "src/admission/decide/verdict.rs";
const ANSWERS = "src/admission/decide/answers.rs";
const PERMITS = "src/admission/decide/permits.rs";
const DECIDE = "src/admission/decide.rs";
const DENIAL = "src/admission/denial.rs";
const LEASE = "src/admission/lease.rs";

export const ADMISSION = [
  {
    name: "refunds are not sent",
    edits: [[VERDICT, "standing.iter().map(Standing::refund)", "standing.iter().filter(|_| !PLANTED).map(Standing::refund)"]],
  },
  {
    name: "a refusal once the body is there leaves the first charges",
    edits: [["src/admission/second.rs", "    if refused {\n", "    if refused && !PLANTED {\n"]],
  },
  {
    name: "a retry gets a new id",
    edits: [[ANSWERS, "            if round.unanswered(question) {\n                continue;", "            if round.unanswered(question) && !PLANTED {\n                continue;"]],
  },
  {
    name: "a charge whose answer was lost is not given back",
    edits: [[DECIDE, "        self.doubtful.extend(Standing::of(question));", "        self.doubtful.extend(Standing::of(question).filter(|_| !PLANTED));"]],
  },
  {
    name: "a second round waits for the whole counter_timeout again",
    edits: [[DECIDE, "        policy.counter_timeout - now.saturating_since(self.started)", "        policy.counter_timeout - if PLANTED { Span::ZERO } else { now.saturating_since(self.started) }"]],
  },
  {
    name: "a denial is remembered until Retry-After, whatever the object said",
    edits: [[DENIAL, "        let span = outcome.remember.min(LONGEST);", "        let span = if PLANTED { outcome.retry_after } else { outcome.remember };\n        let span = span.min(LONGEST);"]],
  },
  {
    name: "a denial is remembered beyond ten seconds, whatever an operator unblocks",
    edits: [[DENIAL, "            until: sent + span,", "            until: sent + if PLANTED && span == LONGEST { outcome.retry_after } else { span },"]],
  },
  {
    name: "a denial refuses cheaper requests and other values, too",
    edits: [[DENIAL, "        item.cost >= self.cost && item.value == self.value", "        (PLANTED || item.cost >= self.cost && item.value == self.value)"]],
  },
  {
    name: "a denial outlives a raised quota",
    edits: [[DENIAL, " && item.quota == self.quota\n", " && (PLANTED || item.quota == self.quota)\n"]],
  },
  {
    name: "a permit pays up to its lapse, while another object is asked",
    edits: [[PERMITS, "            now + policy.counter_timeout\n", "            now + if PLANTED { crate::time::Span::ZERO } else { policy.counter_timeout }\n"]],
  },
  {
    name: "what is asked once the body is there leases before slots",
    edits: [[PERMITS, " && !plan.before_slots\n", " && (PLANTED || !plan.before_slots)\n"]],
  },
  {
    name: "a lease runs from its answer instead of from its call",
    edits: [[LEASE, "                until: grant.sent + outcome.lapse,", "                until: (if PLANTED { now } else { grant.sent }) + outcome.lapse,"]],
  },
  {
    name: "permits come back twice where another limit refuses",
    edits: [[LEASE, "                batch.left = batch.left.saturating_add(paid.units).min(batch.granted);", "                batch.left = batch.left.saturating_add(paid.units + if PLANTED { paid.units } else { 0 }).min(batch.granted);"]],
  },
  {
    name: "permits pay under another quota than they were given for",
    // They were deducted, so that nothing is promised by it: what is left is told wrong.
    found: "admission::lease::tests::another_quota_is_another_promise",
    edits: [
      [LEASE, "            held.quota == item.quota\n                && held", "            (PLANTED || held.quota == item.quota)\n                && held"],
      [LEASE, "        if held.quota != item.quota {\n            return None;", "        if held.quota != item.quota && !PLANTED {\n            return None;"],
      [LEASE, "        if held.quota != item.quota {\n            *held", "        if held.quota != item.quota && !PLANTED {\n            *held"],
    ],
  },
];
