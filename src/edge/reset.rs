//! What the entry (entry.js) needs of the code it wraps, so that an isolate recovers from a trap.
//!
//! After a trap an instance's memory is in no known state. The entry asks before each call whether
//! that has happened, and then makes a new instance of the module and of every object in it.

use std::panic;

use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/edge/glue.js")]
extern "C" {
    /// Shared with the entry: `criticalError` and `instanceId`.
    type State;
    #[wasm_bindgen(thread_local_v2, js_name = initState)]
    static STATE: State;
    #[wasm_bindgen(method, getter, js_name = instanceId)]
    fn instance_id(this: &State) -> u32;
    #[wasm_bindgen(method, setter, js_name = instanceId)]
    fn set_instance_id(this: &State, id: u32);
    /// Says so in the log, and has the entry make a new instance before the next call.
    #[wasm_bindgen(js_name = panicked)]
    fn panicked(message: &str);
}

#[wasm_bindgen(start, private)]
fn start() {
    panic::set_hook(Box::new(|info| panicked(&info.to_string())));
    STATE.with(|state| state.set_instance_id(state.instance_id().wrapping_add(1)));
    wasm_bindgen::handler::set_on_abort(wasm_bindgen::handler::schedule_reinit);
}

/// Called by the entry as it loads.
#[wasm_bindgen(js_name = "__worker_init_state")]
#[must_use]
pub fn init_state() -> JsValue {
    STATE.with(|state| JsValue::from(state))
}
