// The demo origin and its control port; see examples/origin/control.rs.
import { ORIGIN_PROGRAM } from "../../../scripts/lib/paths.mjs";
import { launch } from "./process.mjs";

/**
 * Starts an origin on free ports; it ends with the scope: a test's context, or fileScope().
 */
export async function startOrigin(scope) {
  const process = await launch(ORIGIN_PROGRAM, ["--listen", "127.0.0.1:0", "--until-stdin-ends"], {
    ready: (line) => (line.startsWith("{") ? JSON.parse(line) : null),
  });
  scope.after(() => process.stop());
  const { listen, control } = process.found;

  const ask = async (method, path, body) => {
    const answer = await fetch(`http://${control}${path}`, { method, body: body && JSON.stringify(body) });
    const value = await answer.json();
    if (answer.ok) return value;
    throw new Error(`origin: ${method} ${path}: ${answer.status} ${value.error ?? JSON.stringify(brief(value))}`);
  };
  const query = (fields) => new URLSearchParams(Object.entries(fields).filter(([, v]) => v !== undefined)).toString();

  return {
    ...process,
    /** `127.0.0.1:PORT` */
    address: listen,
    url: `http://${listen}`,
    /** `{ records, in_flight, held, peak }` */
    state: () => ask("GET", "/state"),
    /** What reached it, in order; with a path, only what was for that path. */
    records: async (path) => (await ask("GET", "/state")).records.filter((r) => !path || r.target.split("?")[0] === path),
    /** Waits until all hold: total_min, in_flight_min, in_flight_max, held_min, held_max, ended (an id); timeout_ms. */
    until: (conditions) => ask("GET", `/await?${query(conditions)}`),
    /** Registers an answer; fields as in examples/origin/script.rs. */
    script: (script) => ask("POST", "/scripts", script),
    /** Every request waits from now on. */
    hold: () => ask("POST", "/hold"),
    /** Lets all held requests go, or `{ count }` of the oldest, or the one with `{ id }`. */
    release: (which = {}) => ask("POST", `/release?${query(which)}`),
    /** Forgets records and scripts and releases everything. */
    reset: () => ask("POST", "/reset"),
  };
}

const brief = ({ records, ...rest }) => ({
  ...rest,
  records: records?.map((r) => `${r.id} ${r.method} ${r.target} body ${r.body}${r.held ? ", held" : ""}${r.in_flight ? ", in flight" : ""}${r.aborted ? ", aborted" : ""}`),
});
