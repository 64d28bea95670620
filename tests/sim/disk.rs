//! An object's storage as the platform has it: what is written is seen at once and durable a little
//! later, in the order of writing, and a crash loses what is not durable yet.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use weir::ledger::{Store, StoreFault, Urgency};
use weir::time::Timestamp;

#[derive(Clone, Debug)]
enum Op {
    Put(String, Vec<u8>),
    Delete(String),
    DeleteAll,
    Alarm(Option<Timestamp>),
}

/// What was accepted and is on its way to the disk.
#[derive(Clone, Debug)]
struct Staged {
    op: Op,
    /// Nobody waits for it, so nobody but its owner is told if it fails.
    behind: bool,
}

#[derive(Clone, Debug, Default)]
struct Content {
    rows: BTreeMap<String, Vec<u8>>,
    alarm: Option<Timestamp>,
}

impl Content {
    fn apply(&mut self, op: &Op) {
        match op {
            Op::Put(key, bytes) => {
                self.rows.insert(key.clone(), bytes.clone());
            }
            Op::Delete(key) => {
                self.rows.remove(key);
            }
            Op::DeleteAll => *self = Content::default(),
            Op::Alarm(at) => self.alarm = *at,
        }
    }
}

/// What one object has stored.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    seen: Content,
    durable: Content,
    staged: VecDeque<Staged>,
    /// Operations that became durable or were lost so far.
    gone: u64,
    /// While true, everything fails.
    pub broken: bool,
    /// While true, what is written behind may be accepted and fail later.
    pub unreliable: bool,
    /// Something was written whose answer has to wait.
    pub urgent: bool,
}

impl Disk {
    fn stage(&mut self, op: Op, behind: bool) {
        self.seen.apply(&op);
        self.staged.push_back(Staged { op, behind });
    }

    /// A mark behind everything staged so far.
    pub fn mark(&self) -> u64 {
        self.gone + self.staged.len() as u64
    }

    pub fn is_staged(&self) -> bool {
        !self.staged.is_empty()
    }

    /// Everything before the mark is durable now, but for what was written behind and fails. Gives
    /// what the owner is told of that: the row, or None for an alarm or the deleting of everything.
    pub fn commit(&mut self, mark: u64, mut fails: impl FnMut() -> bool) -> Vec<Option<String>> {
        let mut failed = Vec::new();
        while self.gone < mark
            && let Some(Staged { op, behind }) = self.staged.pop_front()
        {
            self.gone += 1;
            if behind && self.unreliable && fails() {
                failed.push(match op {
                    Op::Put(key, _) | Op::Delete(key) => Some(key),
                    Op::DeleteAll | Op::Alarm(_) => None,
                });
            } else {
                self.durable.apply(&op);
            }
        }
        if !failed.is_empty() {
            self.seen = self.durable.clone();
            self.staged
                .iter()
                .for_each(|staged| self.seen.apply(&staged.op));
        }
        failed
    }

    pub fn crash(&mut self) {
        self.gone += self.staged.len() as u64;
        self.staged.clear();
        self.seen = self.durable.clone();
        self.urgent = false;
    }

    pub fn set_alarm(&mut self, at: Option<Timestamp>) {
        // None is what the platform does itself when the alarm goes off.
        self.stage(Op::Alarm(at), at.is_some());
    }

    pub fn alarm(&self) -> Option<Timestamp> {
        self.seen.alarm
    }

    pub fn rows(&self) -> usize {
        self.seen.rows.len()
    }
}

/// The ledger's view of a [`Disk`].
#[derive(Clone, Debug, Default)]
pub struct SimStore(pub Rc<RefCell<Disk>>);

impl SimStore {
    fn stage(&self, op: Op, behind: bool) -> Result<(), StoreFault> {
        let mut disk = self.0.borrow_mut();
        if disk.broken {
            return Err(StoreFault);
        }
        disk.stage(op, behind);
        Ok(())
    }

    /// A copy that shares nothing, to look ahead with.
    pub fn apart(&self) -> SimStore {
        SimStore(Rc::new(RefCell::new(self.0.borrow().clone())))
    }
}

impl Store for SimStore {
    fn load(&mut self) -> Result<Vec<(String, Vec<u8>)>, StoreFault> {
        let disk = self.0.borrow();
        if disk.broken {
            return Err(StoreFault);
        }
        Ok(disk.seen.rows.clone().into_iter().collect())
    }

    fn get(&mut self, key: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        let disk = self.0.borrow();
        if disk.broken {
            return Err(StoreFault);
        }
        Ok(disk.seen.rows.get(key).cloned())
    }

    fn put(&mut self, key: &str, bytes: &[u8], urgency: Urgency) -> Result<(), StoreFault> {
        let behind = urgency == Urgency::Behind;
        self.stage(Op::Put(key.to_owned(), bytes.to_vec()), behind)?;
        if urgency == Urgency::BeforeAnswer {
            self.0.borrow_mut().urgent = true;
        }
        Ok(())
    }

    fn delete(&mut self, key: &str) -> Result<(), StoreFault> {
        self.stage(Op::Delete(key.to_owned()), false)
    }

    fn delete_all(&mut self) -> Result<(), StoreFault> {
        self.stage(Op::DeleteAll, true)
    }
}
