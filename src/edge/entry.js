// What the platform calls: the Worker's handler and its objects, around the compiled module. It takes
// the place of worker-build's own shim, which makes three proxies for every request.
//
// After a trap an instance's memory is in no known state: before the next call the module is
// instantiated anew, and with it every object, which reads back what it has stored.
import * as weir from "./index.js";

const state = weir.__worker_init_state();

function renew() {
  if (!state.criticalError) return;
  console.log("weir: starting anew after a trap");
  weir.__wbg_reset_state();
  state.criticalError = false;
}

function noticed(error) {
  if (!(error instanceof WebAssembly.RuntimeError)) return;
  console.error("weir: trapped", error);
  state.criticalError = true;
}

// A trap in what goes on after an await reaches no caller.
addEventListener("error", (event) => noticed(event.error));

/** A Durable Object class around a compiled one, whose instances end with the module's. */
const resident = (Compiled) =>
  class {
    #state;
    #env;
    #inner;
    #instance;

    constructor(state, env) {
      this.#state = state;
      this.#env = env;
      this.#current();
    }

    #current() {
      renew();
      if (this.#instance !== state.instanceId) {
        this.#inner = new Compiled(this.#state, this.#env, this);
        this.#instance = state.instanceId;
      }
      return this.#inner;
    }

    #call(method, about) {
      try {
        return this.#current()[method]?.(about);
      } catch (error) {
        noticed(error);
        throw error;
      }
    }

    fetch(request) {
      return this.#call("fetch", request);
    }

    alarm() {
      return this.#call("alarm");
    }

    // What follows is called by the compiled one's own timers, streams and writes.
    wake() {
      this.#call("wake");
    }

    left(id) {
      this.#call("left", id);
    }

    failed(key) {
      this.#call("failed", key);
    }
  };

export const Counter = resident(weir.Counter);
export const Telemetry = resident(weir.Telemetry);

export default {
  fetch(request, env, context) {
    renew();
    try {
      return weir.fetch(request, env, context);
    } catch (error) {
      noticed(error);
      throw error;
    }
  },
};
