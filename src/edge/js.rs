//! The platform as Rust sees it: only what is used, with strings and numbers wherever they do.
//!
//! The SDK's `Request`, `Response` and wrappers are not used on the path of a request: each of them
//! crosses the boundary several times. See the .js files beside this one for the other side.

use js_sys::{Promise, Uint8Array};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// An incoming `Request`.
    #[derive(Clone)]
    pub type Request;
    #[wasm_bindgen(method, getter)]
    pub fn url(this: &Request) -> String;
    #[wasm_bindgen(method, getter)]
    pub fn body(this: &Request) -> JsValue;
    #[wasm_bindgen(method)]
    pub fn text(this: &Request) -> Promise;
    #[wasm_bindgen(method, getter)]
    pub fn signal(this: &Request) -> JsValue;
    #[wasm_bindgen(method, getter)]
    pub fn cf(this: &Request) -> JsValue;

    /// `Headers`.
    #[derive(Clone)]
    pub type Headers;
    #[wasm_bindgen(method)]
    pub fn get(this: &Headers, name: &str) -> Option<String>;

    /// A `Response`.
    #[derive(Clone)]
    pub type Response;
    #[wasm_bindgen(method, getter)]
    pub fn status(this: &Response) -> u16;
    #[wasm_bindgen(method, getter, js_name = headers)]
    pub fn response_headers(this: &Response) -> Headers;
    #[wasm_bindgen(method, getter, js_name = webSocket)]
    pub fn web_socket(this: &Response) -> JsValue;

    /// The bindings.
    #[derive(Clone)]
    pub type Env;

    /// `ExecutionContext`.
    #[derive(Clone)]
    pub type Context;
    #[wasm_bindgen(method, js_name = waitUntil)]
    pub fn wait_until(this: &Context, promise: &Promise);

    /// `DurableObjectState`.
    #[derive(Clone)]
    pub type ObjectState;
    #[wasm_bindgen(method, getter)]
    pub fn storage(this: &ObjectState) -> Storage;

    /// An object as the platform knows it (see entry.js).
    #[derive(Clone)]
    pub type Host;

    /// `DurableObjectStorage`.
    #[derive(Clone)]
    pub type Storage;

    #[wasm_bindgen(js_name = setTimeout)]
    pub fn set_timeout(callback: &JsValue, ms: f64) -> JsValue;
    #[wasm_bindgen(js_name = clearTimeout)]
    pub fn clear_timeout(timer: &JsValue);

    #[wasm_bindgen(js_namespace = console, js_name = log)]
    pub fn log(line: &str);
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    pub fn log_error(line: &str);
    #[wasm_bindgen(js_namespace = Math)]
    pub fn random() -> f64;
}

/// The id of a refusal that is not to be had again.
pub const NOT_KEPT: f64 = -1.0;

#[wasm_bindgen(module = "/src/edge/glue.js")]
extern "C" {
    pub fn ask(
        namespace: &JsValue,
        names: &str,
        hints: &str,
        messages: &str,
        timeout_ms: f64,
    ) -> Promise;
    #[wasm_bindgen(js_name = askOne)]
    pub fn ask_one(
        namespace: &JsValue,
        question: &str,
        timeout_ms: f64,
        go: &JsValue,
        context: &Context,
    ) -> Promise;
    pub fn only(done: &Promise) -> Promise;
    pub fn tell(
        namespace: &JsValue,
        names: &str,
        hints: &str,
        messages: &str,
        timeout_ms: f64,
    ) -> Promise;
    pub fn answer(text: &str) -> JsValue;
    #[wasm_bindgen(js_name = numberOf)]
    pub fn number_of(request: &Request, address: Option<&str>) -> i32;
    #[wasm_bindgen(js_name = latestHead)]
    pub fn latest_head() -> String;
    #[wasm_bindgen(js_name = numberLatest)]
    pub fn number_latest(number: i32);
    pub fn head(request: &Request, address: Option<&str>) -> String;
    pub fn header(request: &Request, name: &str) -> Option<String>;
    pub fn accept(request: &Request) -> Option<String>;
    pub fn network(request: &Request) -> String;
    #[wasm_bindgen(js_name = headerBytes)]
    pub fn header_bytes(request: &Request) -> u32;
    pub fn respond(status: u16, headers: &str, body: JsValue) -> JsValue;
    pub fn refusal(status: u16, text: &str, id: f64, request: &Request) -> JsValue;
    pub fn again(id: f64, request: &Request) -> JsValue;
    #[wasm_bindgen(js_name = hasLeft)]
    pub fn has_left(request: &Request) -> bool;
    #[wasm_bindgen(js_name = kvText)]
    pub fn kv_text(namespace: &JsValue, key: &str, max: f64) -> Promise;
    pub fn within(promise: &Promise, ms: f64) -> Promise;
    #[wasm_bindgen(catch)]
    pub fn rows(storage: &Storage) -> Result<js_sys::Array, JsValue>;
    #[wasm_bindgen(js_name = wakeIn)]
    pub fn wake_in(host: &Host, ms: f64) -> JsValue;
    #[wasm_bindgen(js_name = getRow, catch)]
    pub fn get_row(storage: &Storage, key: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_name = deleteRow, catch)]
    pub fn delete_row(storage: &Storage, key: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(js_name = deleteAll, catch)]
    pub fn delete_all(storage: &Storage, host: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(js_name = setAlarm, catch)]
    pub fn set_alarm(storage: &Storage, host: &JsValue, at_ms: f64) -> Result<(), JsValue>;
    #[wasm_bindgen(js_name = putNow, catch)]
    pub fn put_now(storage: &Storage, key: &str, bytes: &Uint8Array) -> Result<(), JsValue>;
    #[wasm_bindgen(js_name = putBehind, catch)]
    pub fn put_behind(
        storage: &Storage,
        host: &JsValue,
        key: &str,
        bytes: &Uint8Array,
    ) -> Result<(), JsValue>;
}

#[wasm_bindgen(module = "/src/edge/origin.js")]
extern "C" {
    #[wasm_bindgen(js_name = onAnswers)]
    pub fn on_answers(
        failure: &Closure<dyn Fn(Request, bool, Option<String>) -> JsValue>,
        collision: &Closure<dyn Fn(String, String) -> String>,
    );
    pub fn pass(
        origin: &JsValue,
        request: &Request,
        route: Option<&str>,
        fields: Option<&str>,
    ) -> JsValue;
    /// Fields with their numbers left open.
    pub type Shape;
    pub fn shape(text: &str) -> Shape;
    #[wasm_bindgen(js_name = passShaped)]
    pub fn pass_shaped(
        origin: &JsValue,
        request: &Request,
        route: Option<&str>,
        shape: &Shape,
        numbers: &[f64],
    ) -> JsValue;
    pub fn forward(
        origin: &JsValue,
        request: &Request,
        target: Option<&str>,
        set: &str,
        body: JsValue,
        signal: &JsValue,
    ) -> Promise;
    #[wasm_bindgen(js_name = withFields, catch)]
    pub fn with_fields(response: &Response, set: &str) -> Result<JsValue, JsValue>;
    pub fn counted(response: &Response, most_ms: f64) -> js_sys::Array;
}

#[wasm_bindgen(module = "/src/edge/way.js")]
extern "C" {
    /// A request's way to the origin.
    #[derive(Clone)]
    pub type Way;
    #[wasm_bindgen(method, getter)]
    pub fn bytes(this: &Way) -> JsValue;
    #[wasm_bindgen(method, getter)]
    pub fn fault(this: &Way) -> String;

    pub fn way() -> Way;
    pub fn travel(
        way: &Way,
        origin: &JsValue,
        request: &Request,
        target: Option<&str>,
        set: &str,
        headers_ms: f64,
        total_ms: f64,
    ) -> Promise;
    pub fn refuse(status: u16, headers: &str, body: JsValue, dropped: &Promise) -> JsValue;
    pub fn dropped(way: Option<&Way>, request: &Request, bytes: f64, within_ms: f64) -> Promise;
}

#[wasm_bindgen(module = "/src/edge/body.js")]
extern "C" {
    #[wasm_bindgen(js_name = takeBody)]
    pub fn take_body(
        way: &Way,
        request: &Request,
        declared: f64,
        hold: f64,
        max: f64,
        hold_ms: f64,
        stream_ms: f64,
        room: f64,
        drop_bytes: f64,
        drop_ms: f64,
    ) -> Promise;
    pub fn inflate(bytes: &JsValue, coding: &str, max: f64) -> Promise;
}

#[wasm_bindgen(module = "/src/edge/pages.js")]
extern "C" {
    pub fn asset(assets: &JsValue, file: &str, headers: &str, head: bool) -> Promise;
    #[wasm_bindgen(js_name = textOf)]
    pub fn text_of(request: &Request, max: f64) -> Promise;
    pub fn report(namespace: &JsValue, shard: u32, report: &str) -> Promise;
    pub fn gather(namespace: &JsValue, shards: u32) -> Promise;
    #[wasm_bindgen(js_name = writeEvents)]
    pub fn write_events(dataset: &JsValue, lines: &str);
}
