//! Questions put to the oracle now and then.

use weir::admission::Verdict;
use weir::admission::described::Described;
use weir::admission::plan::{self, Context, Plan, Tier};
use weir::ledger::Reply;
use weir::policy::Mode;
use weir::wire::{Answer, Call, CallId, Charge};

use super::world::World;

impl World {
    /// An operator asks what would happen to a request.
    pub fn look_at_some(&mut self) {
        let places: Vec<_> = self.oracle.logs.keys().cloned().collect();
        if places.is_empty() {
            return;
        }
        let place = self.rng.pick(&places).clone();
        let id = CallId(self.rng.next());
        if let Some(log) = self.oracle.logs.get(&place) {
            let items = vec![log.item.clone()];
            let provisional = None;
            let look = Call::Peek(Charge {
                id,
                provisional,
                items,
            });
            self.send(&place.0, &look, None);
        }
    }

    pub fn audit_some(&mut self) {
        let places: Vec<_> = self.oracle.logs.keys().cloned().collect();
        if places.is_empty() {
            return;
        }
        let place = self.rng.pick(&places).clone();
        if let Some(object) = self.objects.get(&place.0) {
            self.oracle.audit(&place, object, self.now);
        }
    }

    /// What an object knows that has just come into memory is what was stored.
    pub fn audit_all(&mut self, name: &str) {
        let Some(object) = self.objects.get(name) else {
            return;
        };
        let places: Vec<_> = self
            .oracle
            .logs
            .keys()
            .filter(|(owner, _)| owner == name)
            .cloned()
            .collect();
        for place in places {
            self.oracle.audit(&place, object, self.now);
        }
    }

    pub fn check_remembered(&mut self, id: u64, verdict: &Verdict) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        for index in &verdict.refused {
            let applied = &request.plan.applied[*index];
            if let Some(object) = self.objects.get(&applied.object) {
                self.oracle
                    .check_remembered(request.isolate, object, &applied.item, self.now);
            }
        }
    }

    pub fn check_slots(&mut self, name: &str) {
        let now = self.now;
        let Some(object) = self.objects.get_mut(name) else {
            return;
        };
        let clock = object.clock(now);
        let Some(ledger) = object.ledger.as_mut() else {
            return;
        };
        let Reply::Now(Answer::Stats(stats)) = ledger.handle(&Call::Stats, clock) else {
            return;
        };
        if let Some(fault) = self.oracle.slots.check(object, &stats) {
            self.oracle.violate(format!("{}: {fault}", &name[..4]));
        }
    }

    /// What a request asks, with the names of its counters noted.
    pub fn plan(&mut self, policy: usize, described: &Described, first: Option<&Plan>) -> Plan {
        let policy = &self.policies[policy];
        let context = Context {
            policy,
            namer: &self.namer,
            mode: Mode::Enforce,
            tiers: &|_, _| Tier::Named(String::new()),
        };
        let plan = match first {
            None => plan::plan(&context, described),
            Some(first) => plan::plan_after_body(&context, described, first),
        };
        for applied in &plan.applied {
            self.oracle
                .names
                .entry(applied.item.key)
                .or_insert_with(|| {
                    let limit = applied
                        .limit
                        .of(policy)
                        .map_or("?", |limit| &limit.policy_name);
                    format!("{limit} ({:?})", applied.item.key.0[0])
                });
        }
        plan
    }
}
