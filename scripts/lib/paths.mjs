import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Where wrangler looks for the Worker. */
export const BUILD = join(ROOT, "build");
/** The commands that cargo installs for this project, and nothing of the user's. */
export const TOOLS = join(ROOT, ".tools");
export const NODE_MODULES = join(ROOT, "node_modules");

const bin = (name) => join(NODE_MODULES, ".bin", name);
/** Run by [NODE], without the wrapper that would start another one. */
export const WRANGLER = join(NODE_MODULES, "wrangler", "wrangler-dist", "cli.js");
export const ESBUILD = bin("esbuild");
export const WASM_OPT = bin("wasm-opt");
export const WORKERD = bin("workerd");
/** A Node that is new enough for wrangler, whatever the system has. */
export const NODE = bin("node");

const DEBUG = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "debug");
/** The demo origin, once `cargo build --example origin` has made it. */
export const ORIGIN_PROGRAM = join(DEBUG, "examples", "origin");
/** The `weir` command, once `cargo build` has made it. */
export const WEIR_PROGRAM = join(DEBUG, "weir");

export const tool = (name) => join(TOOLS, "bin", name);

const CARGO_HOME = process.env.CARGO_HOME ?? join(homedir(), ".cargo");

/**
 * The environment for everything that is started: the project's own Node first, and cargo even
 * where the shell that installed it was never restarted.
 */
export const environment = (extra = {}) => ({
  ...process.env,
  PATH: [join(NODE_MODULES, ".bin"), process.env.PATH, join(CARGO_HOME, "bin")].join(delimiter),
  WRANGLER_SEND_METRICS: "false",
  // `wrangler dev` would ask a server of its vendor where this machine is
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  ...extra,
});
