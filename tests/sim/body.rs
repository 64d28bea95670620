//! Requests whose body some limit needs: what they ask first, and what once it is there.

use weir::admission::{Verdict, second};
use weir::time::Span;

use super::scenario::{MS, SECOND};
use super::world::{Event, World};

/// How long a body may take where no rule says.
const LONGEST_BODY: Span = Span::from_secs(30);

impl World {
    /// The limits so far admit it, and the others wait for its body.
    pub fn wait_for_body(&mut self, id: u64, verdict: Verdict) {
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let open = if request.plan.before_slots {
            let timeout = self.policies[request.policy].counter_timeout;
            verdict.confirm(LONGEST_BODY + timeout + timeout)
        } else {
            Vec::new()
        };
        request.verdict = Some(verdict);
        request.waited = true;
        // Whatever is answered late belongs to no round any more.
        request.number += 1;
        for question in open {
            self.send(&question.object, &question.call, None);
        }
        let takes = if self.rng.permille(100) {
            self.rng.range(SECOND, LONGEST_BODY.as_micros())
        } else {
            self.rng.range(MS, 300 * MS)
        };
        self.after(takes, Event::Body(id));
    }

    /// The body is there: the limits that had to wait for it are asked.
    pub fn body_read(&mut self, id: u64) {
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let verdict = request.verdict.take().unwrap_or_default();
        let first = std::mem::take(&mut request.plan);
        let mut described = request.described.clone();
        let (isolate, policy) = (request.isolate, request.policy);
        if self.rng.permille(80) {
            // It is bad: what was charged is spent, and nothing goes on.
            self.requests.remove(&id);
            for question in second::keep(&first, &verdict) {
                self.send(&question.object, &question.call, None);
            }
            return;
        }
        let values = if self.scenario.busy { 2 } else { 6 };
        described.body = Some(format!("u={}", self.rng.range(0, values)).into_bytes());
        described.body_to_come = false;
        let plan = self.plan(policy, &described, Some(&first));
        let clock = self.clock(isolate);
        let memory = &mut self.isolates[isolate].memory;
        let begin = memory.begin(&self.policies[policy], &plan, clock);
        let now = self.now;
        if let Some(request) = self.requests.get_mut(&id) {
            request.started = now;
            // The same object may be asked for the limits that waited.
            request.sent_before = request.sent.len();
            request.plan = plan;
            request.first = Some((first, verdict));
        }
        self.begun(id, begin);
    }
}
