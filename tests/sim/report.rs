//! What isolates tell objects that they have decided without.

use weir::admission::{Question, Reply};
use weir::time::Timestamp;
use weir::wire::{Answer, Call};

use super::object::Return;
use super::world::{Event, World};

/// Reports are told from what requests ask by this.
pub const REPORT_ROUND: u32 = u32::MAX;

/// A report whose answer is awaited.
#[derive(Debug)]
pub struct Report {
    isolate: usize,
    policy: usize,
    sent: Timestamp,
    question: Question,
}

impl World {
    pub fn send_reports(&mut self, isolate: usize, policy: usize, questions: Vec<Question>) {
        for question in questions {
            let patience = self.policies[policy].counter_timeout.as_micros();
            let late = Event::Late {
                request: self.next_token(),
                round: REPORT_ROUND,
            };
            let token = self.after(patience, late);
            let back = Return {
                request: token,
                round: REPORT_ROUND,
                index: 0,
            };
            let (object, call) = (question.object.clone(), question.call.clone());
            let sent = self.clock(isolate);
            let report = Report {
                isolate,
                policy,
                sent,
                question,
            };
            self.reports.insert(token, report);
            self.send(&object, &call, Some(back));
        }
    }

    pub fn report_answered(&mut self, token: u64, reply: Reply) {
        let Some(report) = self.reports.remove(&token) else {
            return;
        };
        let Report {
            isolate, policy, ..
        } = report;
        if let (Reply::Answer(Answer::Charged(charged)), Call::Charge(charge)) =
            (&reply, &report.question.call)
        {
            for (item, outcome) in charge.items.iter().zip(&charged.outcomes) {
                if !outcome.conforms {
                    let place = (report.question.object.clone(), item.key);
                    self.oracle.told.insert((isolate, place), self.now);
                }
            }
        }
        let now = self.clock(isolate);
        let next = self.isolates[isolate].memory.reported(
            &self.policies[policy],
            vec![report.question],
            &[reply],
            (report.sent, now),
        );
        self.send_reports(isolate, policy, next);
    }
}
