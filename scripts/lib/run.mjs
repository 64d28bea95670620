// Starts commands and waits for them. What is still running when this process ends is ended too.
import { spawn } from "node:child_process";
import { ROOT, environment } from "./paths.mjs";
import { Stop } from "./say.mjs";

const running = new Set();
process.on("exit", () => running.forEach((child) => kill(child, "SIGKILL")));
for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]]) {
  process.on(signal, () => {
    Promise.all([...running].map((child) => stop(child, { patience_ms: 3000 }))).finally(() => process.exit(code));
  });
}

/**
 * Starts a command; the caller waits for it or stops it. With `group`, for a command that starts
 * others itself, all of them are ended together.
 */
export function start(command, args, { cwd = ROOT, env = {}, stdio = ["ignore", "inherit", "inherit"], group = false } = {}) {
  const child = spawn(command, args, { cwd, env: environment(env), stdio, detached: group });
  child.group = group;
  running.add(child);
  child.on("exit", () => running.delete(child));
  child.on("error", () => running.delete(child));
  return child;
}

function kill(child, signal) {
  if (!child.group || child.pid === undefined) return child.kill(signal);
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false; // it has ended
  }
}

/** Ends what [start] started: asked first, killed after `patience_ms`. */
export async function stop(child, { signal = "SIGTERM", patience_ms = 5000 } = {}) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((resolve) => child.once("exit", resolve));
  kill(child, signal);
  const late = setTimeout(() => kill(child, "SIGKILL"), patience_ms);
  await over;
  clearTimeout(late);
  // what it started and left behind
  if (child.group) kill(child, "SIGKILL");
}

/** Runs a command to its end; its output is shown and also returned. Never rejects for a failure. */
export function watched(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = start(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    const pass = (from, to) => from.setEncoding("utf8").on("data", (piece) => ((text += piece), to.write(piece)));
    pass(child.stdout, process.stdout);
    pass(child.stderr, process.stderr);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, text }));
  });
}

/** Runs a command whose output goes straight to the terminal; a failure stops the script. */
export function run(command, args, { failure, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = start(command, args, options);
    child.on("error", () => reject(new Stop(failure ?? `${command} could not be started.`)));
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Stop(failure ?? `\`${command} ${args.join(" ")}\` failed; what it said is above.`)));
  });
}

/** What a command prints, or null where it is missing or fails. */
export function output(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = start(command, args, { ...options, stdio: ["ignore", "pipe", "ignore"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (piece) => (text += piece));
    child.on("error", () => resolve(null));
    child.on("close", (code) => resolve(code === 0 ? text.trim() : null));
  });
}
