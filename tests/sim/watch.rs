//! Questions put to the oracle now and then.

use weir::admission::Verdict;

use super::world::World;

impl World {
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

    pub fn check_remembered(&mut self, id: u64, verdict: &Verdict) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        for index in &verdict.refused {
            let applied = &request.plan.applied[*index];
            if let Some(object) = self.objects.get(&applied.object) {
                self.oracle
                    .check_remembered(object, &applied.item, self.now);
            }
        }
    }
}
