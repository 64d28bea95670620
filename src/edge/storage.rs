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
pub struct ObjectStore(Storage);

impl ObjectStore {
    /// The storage of an object.
    pub fn new(storage: Storage) -> Self {
        ObjectStore(storage)
    }
}

impl Store for ObjectStore {
    fn load(&mut self) -> Result<Vec<(String, Vec<u8>)>, StoreFault> {
        let flat = js::rows(&self.0).map_err(fault)?;
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
        let value = js::get_row(&self.0, key).map_err(fault)?;
        Ok(value.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec))
    }

    fn put(&mut self, key: &str, bytes: &[u8], urgency: Urgency) -> Result<(), StoreFault> {
        let bytes = Uint8Array::from(bytes);
        let put = match urgency {
            Urgency::BeforeAnswer => js::put_now,
            Urgency::Behind => js::put_behind,
        };
        put(&self.0, key, &bytes).map_err(fault)
    }

    fn delete(&mut self, key: &str) -> Result<(), StoreFault> {
        js::delete_row(&self.0, key).map_err(fault)
    }

    fn delete_all(&mut self) -> Result<(), StoreFault> {
        js::delete_all(&self.0).map_err(fault)
    }
}

fn fault(error: JsValue) -> StoreFault {
    js::log_error(&format!(
        "weir: storage of a counter object failed: {error:?}"
    ));
    StoreFault
}
