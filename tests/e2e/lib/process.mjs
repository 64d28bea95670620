// Processes of a test: started here, watched, and ended by their pid however the test ends.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { start, stop } from "../../../scripts/lib/run.mjs";

/** Rejects with `what` unless the promise settles in time: nothing in a test waits for ever. */
export function within(ms, what, promise) {
  let late;
  const limit = new Promise((_, reject) => {
    late = setTimeout(() => reject(new Error(`${what()} within ${ms} ms`)), ms);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(late));
}

/**
 * What is shared by all tests of a file and ends after the last. To be called at the file's top
 * level; inside one test, its own context `t` does the same for that test.
 */
export function fileScope() {
  const endings = [];
  after(async () => {
    for (const ending of endings.reverse()) await ending();
  });
  return { after: (ending) => endings.push(ending) };
}

/** A folder that is removed when the scope is over. */
export async function folder(scope, name) {
  const dir = await mkdtemp(join(tmpdir(), `weir-${name}-`));
  scope.after(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

/** Kills a child, with its group if it has one, once this process is gone without having done so. */
function guard(child) {
  if (child.pid === undefined) return;
  const target = child.group ? `-${child.pid}` : `${child.pid}`;
  // its stdin ends when this process does, however that happens
  const watch = start("sh", ["-c", 'cat; kill -s KILL -- "$1"', "sh", target], { stdio: ["pipe", "ignore", "ignore"], group: true });
  watch.stdin.on("error", () => {});
  watch.unref();
  watch.stdin.unref?.();
  child.once("exit", () => stop(watch, { signal: "SIGKILL" }));
}

/**
 * Starts a command and waits until `ready(line)` gives something for a line of its stdout, its
 * stderr or, where `events` is set, its descriptor 3.
 */
export async function launch(command, args, { ready, events = false, patience_ms = 20_000, ...options }) {
  const stdio = ["pipe", "pipe", "pipe", ...(events ? ["pipe"] : [])];
  const child = start(command, args, { ...options, stdio });
  guard(child);
  const log = [];
  const waiting = new Set();
  const lines = (stream) => {
    let rest = "";
    stream.setEncoding("utf8").on("data", (piece) => {
      const parts = (rest + piece).split("\n");
      rest = parts.pop();
      for (const line of parts) {
        log.push(line);
        for (const look of waiting) look(line);
      }
    });
  };
  for (const stream of child.stdio.slice(1)) lines(stream);
  // a child that dies closes its stdin under us
  child.stdin.on("error", () => {});
  const exited = new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)));
  const failed = new Promise((_, reject) => child.once("error", reject));
  failed.catch(() => {});

  /** The first thing that `look` finds in a line from now on. */
  const line = (look, ms = patience_ms) => {
    let watch;
    const found = new Promise((resolve) => {
      watch = (text) => {
        const result = look(text);
        if (result !== undefined && result !== null && result !== false) resolve(result);
      };
      waiting.add(watch);
    });
    const over = exited.then((how) => {
      throw new Error(`${command} ended (${how}) first:\n${log.slice(-30).join("\n")}`);
    });
    return within(ms, () => `${command} did not say what was waited for:\n${log.slice(-30).join("\n")}\n`, Promise.race([found, over, failed]))
      .finally(() => waiting.delete(watch));
  };
  try {
    const found = await line(ready);
    return { child, pid: child.pid, found, exited, line, log: () => log.join("\n"), stop: () => stop(child) };
  } catch (error) {
    await stop(child, { signal: "SIGKILL" });
    throw error;
  }
}
