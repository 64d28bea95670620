//! What follows from a verdict.

use weir::admission::{Verdict, second};

use super::request::SLOT_ROUND;
use super::scenario::SECOND;
use super::world::World;

impl World {
    pub fn decided(&mut self, id: u64, mut verdict: Verdict) {
        self.note(|| {
            let how = match (verdict.admitted(), verdict.remembered) {
                (true, _) => "let through",
                (false, true) => "refused from memory",
                (false, false) => "refused",
            };
            let refunds = verdict.refunds.len();
            format!(
                "request {id}: {how}, {:?} unreached, {refunds} refunds",
                verdict.unreached
            )
        });
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let reports = std::mem::take(&mut verdict.reports);
        let (isolate, policy) = (request.isolate, request.policy);
        self.send_reports(isolate, policy, reports);
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let mut told = Vec::new();
        if let Some((mut plan, mut before)) = request.first.take() {
            if verdict.admitted() && !plan.before_slots {
                told = second::keep(&plan, &before);
            }
            let more = std::mem::take(&mut request.plan);
            second::join(&mut plan, &mut before, more, verdict);
            request.plan = plan;
            verdict = before;
        }
        told.extend(verdict.refunds.iter().cloned());
        for question in told {
            self.send(&question.object, &question.call, None);
        }
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let allowed = self.policies[request.policy].counter_timeout.as_micros();
        if self.now > request.started + allowed {
            let took = self.now - request.started;
            self.oracle
                .violate(format!("decided after {took} of {allowed} us"));
        }
        if !verdict.admitted() {
            let wait = verdict.retry_after().as_micros();
            let client = &mut self.clients[request.client];
            client.away_until = self.now.saturating_add(wait).min(self.now + 60 * SECOND);
            self.oracle
                .refused(&verdict, &request.sent, &request.answers);
            self.requests.remove(&id);
            return;
        }
        if !request.plan.waiting_for_body.is_empty() {
            return self.wait_for_body(id, verdict);
        }
        self.oracle.check_once(&request.sent[request.sent_before..]);
        self.oracle.paid_with_permits(
            &request.plan,
            &verdict,
            &self.objects,
            (request.isolate, self.now),
        );
        self.oracle
            .admitted(&verdict, &request.answers, &self.objects, self.now);
        self.oracle.passed_here(
            &self.policies[request.policy],
            (&request.plan, &verdict),
            &self.objects,
            (request.isolate, request.begun),
        );
        let mut objects: Vec<&String> =
            request.plan.slots.iter().map(|slot| &slot.object).collect();
        objects.dedup();
        let memory = &mut self.isolates[request.isolate].memory;
        request.slots = objects
            .into_iter()
            .map(|object| (object.clone(), memory.next_id()))
            .collect();
        request.verdict = Some(verdict);
        request.number = SLOT_ROUND;
        self.next_slot(id);
    }
}
