//! The rows of one object, in the platform's storage.
//!
//! An object of a SQLite-backed class has a synchronous key-value interface. What is written
//! through it is held back from clients by the output gate until it is durable; what is written
//! with `allowUnconfirmed` is not waited for.

use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};

use super::js::{self, Storage};
use crate::ledger::{Store, StoreFault, Urgency};

/// [`Store`] over the platform's storage.
pub struct ObjectStore {
    storage: Storage,
    /// Its `failed` is called with the key of what was written behind and failed after all.
    host: JsValue,
}

impl ObjectStore {
    /// The storage of an object. Of `host`, unless it is undefined, `failed` is called with the key of
    /// a row that was written behind and failed after all, and with undefined where deleting everything
    /// did.
    pub fn new(storage: Storage, host: JsValue) -> Self {
        ObjectStore { storage, host }
    }

    /// Sets the alarm of the object.
    pub fn set_alarm(&self, at_ms: f64) -> Result<(), StoreFault> {
        js::set_alarm(&self.storage, &self.host, at_ms).map_err(fault)
    }
}

impl Store for ObjectStore {
    fn load(&mut self) -> Result<Vec<(String, Vec<u8>)>, StoreFault> {
        let flat = js::rows(&self.storage).map_err(fault)?;
        let mut rows = Vec::new();
        let mut values = flat.iter();
        while let (Some(key), Some(value)) = (values.next(), values.next()) {
            if let (Some(key), Some(bytes)) = (key.as_string(), value.dyn_ref::<Uint8Array>()) {
                rows.push((key, bytes.to_vec()));
            }
        }
        Ok(rows)
    }

    fn get(&mut self, key: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        let value = js::get_row(&self.storage, key).map_err(fault)?;
        Ok(value.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec))
    }

    fn put(&mut self, key: &str, bytes: &[u8], urgency: Urgency) -> Result<(), StoreFault> {
        let bytes = Uint8Array::from(bytes);
        let put = match urgency {
            Urgency::BeforeAnswer => js::put_now(&self.storage, key, &bytes),
            Urgency::Behind => js::put_behind(&self.storage, &self.host, key, &bytes),
        };
        put.map_err(fault)
    }

    fn delete(&mut self, key: &str) -> Result<(), StoreFault> {
        js::delete_row(&self.storage, key).map_err(fault)
    }

    fn delete_all(&mut self) -> Result<(), StoreFault> {
        js::delete_all(&self.storage, &self.host).map_err(fault)
    }
}

fn fault(error: JsValue) -> StoreFault {
    js::log_error(&format!(
        "weir: storage of a counter object failed: {error:?}"
    ));
    StoreFault
}
