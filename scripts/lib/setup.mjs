// Brings a fresh checkout to where everything can be built and run; does nothing where it is there.
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { alone } from "./lock.mjs";
import { NODE, NODE_MODULES, ROOT, TOOLS, tool } from "./paths.mjs";
import { output, run } from "./run.mjs";
import { Stop, say } from "./say.mjs";

const RUST = [1, 95];
const WRANGLER_NODE = [22, 12];
const NODE_LEAST = 20;
export const WASM = "wasm32-unknown-unknown";

// Both have to match the versions in Cargo.toml: worker-build knows one shape of the `worker`
// crate, and wasm-bindgen refuses a module that another version of its crate made.
const CARGO_TOOLS = [
  { name: "worker-build", version: "0.8.7", runs: ["worker-build"] },
  { name: "wasm-bindgen-cli", version: "0.2.129", runs: ["wasm-bindgen", "wasm-bindgen-test-runner"] },
];

/** Everything. */
export async function setUp() {
  await rustReady();
  await alone(join(TOOLS, "set-up.lock"), "setting up", async () => {
    await npmReady();
    await toolsReady();
  });
}

const atLeast = (found, least) => found[0] > least[0] || (found[0] === least[0] && found[1] >= least[1]);
const version = (text) => /(\d+)\.(\d+)\.\d+/.exec(text ?? "")?.slice(1).map(Number);

/** Rust, the target that the Worker is compiled for, and the parts of Rust that the tests use. */
export async function rustReady({ components = [] } = {}) {
  const rustc = await output("rustc", ["--version"]);
  const hasRustup = (await output("rustup", ["--version"])) !== null;
  if (rustc === null) {
    throw new Stop(hasRustup
      ? "rustup is here but no Rust toolchain is: run `rustup default stable` and start again."
      : "Rust is missing: install it with rustup (https://rustup.rs) and start again.");
  }
  if (!atLeast(version(rustc) ?? [0, 0], RUST)) {
    throw new Stop(`Rust ${RUST.join(".")} or later is needed and this is ${rustc}: run \`rustup update stable\` and start again.`);
  }
  const lib = await output("rustc", ["--print", "target-libdir", "--target", WASM]);
  if (lib === null || !existsSync(lib)) {
    if (!hasRustup) {
      throw new Stop(`this Rust cannot compile for ${WASM} and there is no rustup to add that: install Rust with rustup (https://rustup.rs) and start again.`);
    }
    say(`adding ${WASM} to the Rust toolchain`);
    await run("rustup", ["target", "add", WASM]);
  }
  for (const [component, command] of components) {
    if ((await output("cargo", [command, "--version"])) !== null) continue;
    if (!hasRustup) throw new Stop(`\`cargo ${command}\` is missing and there is no rustup to add it: install ${component} and start again.`);
    say(`adding ${component} to the Rust toolchain`);
    await run("rustup", ["component", "add", component]);
  }
}

/** The npm packages, exactly as package-lock.json names them. */
async function npmReady() {
  const own = version(process.versions.node);
  if (own[0] < NODE_LEAST) throw new Stop(`Node ${NODE_LEAST} or later is needed and this is ${process.version}: install a newer one and start again.`);
  const faults = await npmFaults();
  if (faults === null) return;
  say(`installing the npm packages (${faults}): about half a minute`);
  // A build that runs inside wrangler must not pull wrangler's files from under it.
  await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel", "error"], {
    failure: "the npm packages could not be installed; npm says above why. Start again when that is mended.",
  });
  const left = await npmFaults();
  if (left !== null) throw new Stop(`the npm packages are not usable after \`npm ci\`: ${left}.`);
}

/** What is wrong with node_modules, or null. */
async function npmFaults() {
  const packages = async (file) => JSON.parse(await readFile(file, "utf8")).packages;
  const hidden = join(NODE_MODULES, ".package-lock.json");
  if (!existsSync(hidden)) return "there are none yet";
  const [wanted, present] = await Promise.all([packages(join(ROOT, "package-lock.json")), packages(hidden).catch(() => ({}))]);
  for (const [path, { version, optional }] of Object.entries(wanted)) {
    if (path === "") continue;
    // the packages for other machines are optional, and absent
    if (present[path] === undefined && optional) continue;
    if (present[path]?.version !== version) return `${path.replace(/^.*node_modules\//, "")} is not at ${version}`;
    if (!existsSync(join(ROOT, path))) return `${path} is gone`;
  }
  // its install script fetches the program; a packages folder made with --ignore-scripts has none
  const node = version(await output(NODE, ["--version"]));
  return node && atLeast(node, WRANGLER_NODE) ? null : "the project's own Node does not run";
}

/** worker-build and wasm-bindgen, in the project's folder. */
async function toolsReady() {
  const missing = [];
  for (const wanted of CARGO_TOOLS) {
    const found = await Promise.all(wanted.runs.map((name) => toolVersion(name)));
    if (found.some((text) => text !== wanted.version)) missing.push(wanted);
  }
  if (missing.length === 0) return;
  say(`compiling ${missing.map((t) => `${t.name} ${t.version}`).join(" and ")} into .tools, once: some three minutes each on two cores`);
  // kept over an interruption, so that the next attempt goes on where this one was
  const target = join(TOOLS, "target");
  for (const { name, version } of missing) {
    say(`compiling ${name} ${version}`);
    await run("cargo", ["install", name, "--version", version, "--locked", "--force", "--root", TOOLS, "--target-dir", target], {
      // flags that are meant for the user's own programs may not suit these
      env: { RUSTFLAGS: "", CARGO_BUILD_TARGET: undefined },
      failure: `${name} ${version} could not be compiled; cargo says above why. Start again when that is mended: what was done is kept.`,
    });
  }
  await rm(target, { recursive: true, force: true });
}

/** A tool's version as it says it itself: a file that is there may be half a file. */
async function toolVersion(name) {
  if (!existsSync(tool(name))) return null;
  return /\d+\.\d+\.\d+/.exec((await output(tool(name), ["--version"])) ?? "")?.[0] ?? null;
}
