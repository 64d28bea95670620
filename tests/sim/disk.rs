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
    staged: VecDeque<Op>,
    /// Operations that became durable or were lost so far.
    gone: u64,
    /// While true, everything fails.
    pub broken: bool,
    /// Something was written whose answer has to wait.
    pub urgent: bool,
}

impl Disk {
    fn stage(&mut self, op: Op) {
        self.seen.apply(&op);
        self.staged.push_back(op);
    }

    /// A mark behind everything staged so far.
    pub fn mark(&self) -> u64 {
        self.gone + self.staged.len() as u64
    }

    pub fn is_staged(&self) -> bool {
        !self.staged.is_empty()
    }

    /// Everything before the mark is durable now.
    pub fn commit(&mut self, mark: u64) {
        while self.gone < mark
            && let Some(op) = self.staged.pop_front()
        {
            self.durable.apply(&op);
            self.gone += 1;
        }
    }

    pub fn crash(&mut self) {
        self.gone += self.staged.len() as u64;
        self.staged.clear();
        self.seen = self.durable.clone();
        self.urgent = false;
    }

    pub fn set_alarm(&mut self, at: Option<Timestamp>) {
        self.stage(Op::Alarm(at));
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
    fn stage(&self, op: Op) -> Result<(), StoreFault> {
        let mut disk = self.0.borrow_mut();
        if disk.broken {
            return Err(StoreFault);
        }
        disk.stage(op);
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
        self.stage(Op::Put(key.to_owned(), bytes.to_vec()))?;
        if urgency == Urgency::BeforeAnswer {
            self.0.borrow_mut().urgent = true;
        }
        Ok(())
    }

    fn delete(&mut self, key: &str) -> Result<(), StoreFault> {
        self.stage(Op::Delete(key.to_owned()))
    }

    fn delete_all(&mut self) -> Result<(), StoreFault> {
        self.stage(Op::DeleteAll)
    }
}
