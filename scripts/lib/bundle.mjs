#!/usr/bin/env node
// Stands in for esbuild when worker-build bundles: puts our entry where worker-build has put its own,
// and hands everything else on.
import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { ESBUILD, ROOT } from "./paths.mjs";

const args = process.argv.slice(2);
if (args.includes("./shim.js")) copyFileSync(join(ROOT, "src", "edge", "entry.js"), "shim.js");
const { status, error } = spawnSync(ESBUILD, args, { stdio: "inherit" });
if (error) throw error;
process.exit(status ?? 1);
