// Starts commands and waits for them. What is still running when this process ends is ended too.
import { spawn } from "node:child_process";
import { ROOT, environment } from "./paths.mjs";
import { Stop } from "./say.mjs";

const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));
for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]]) {
  process.on(signal, () => process.exit(code));
}

/** Starts a command; the caller waits for it or stops it. */
export function start(command, args, { cwd = ROOT, env = {}, stdio = ["ignore", "inherit", "inherit"] } = {}) {
  const child = spawn(command, args, { cwd, env: environment(env), stdio });
  running.add(child);
  child.on("close", () => running.delete(child));
  child.on("error", () => running.delete(child));
  return child;
}

/** Ends what [start] started, by its pid: asked first, killed after `patience_ms`. */
export async function stop(child, { signal = "SIGTERM", patience_ms = 5000 } = {}) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  const late = setTimeout(() => child.kill("SIGKILL"), patience_ms);
  await over;
  clearTimeout(late);
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
