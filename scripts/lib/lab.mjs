// From sources to www/lab/pkg: the policy lab's program, and the whole lab as one file.
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fingerprint } from "./build.mjs";
import { alone } from "./lock.mjs";
import { ROOT, WASM_OPT, tool } from "./paths.mjs";
import { run } from "./run.mjs";
import { say } from "./say.mjs";

const WWW = join(ROOT, "www");
const PKG = join(WWW, "lab", "pkg");
const STAMP = join(PKG, ".built-from");
const WASM = "wasm32-unknown-unknown";
/** What rustc uses by itself. */
const FEATURES = ["bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types", "multivalue"];
const INPUTS = ["Cargo.toml", "Cargo.lock", "src", "www/lab.html", "www/page.css", "www/lab/icon.svg", "scripts/lib/lab.mjs",
  ...["bundle.js", "draw.js", "example.js", "lab.css", "lab.js", "numbers.js", "reader.js", "worker.js"].map((name) => `www/lab/${name}`)];

/** Builds the lab unless it was already made from exactly these sources. */
export const buildLab = () =>
  alone(join(ROOT, "target", "weir-build.lock"), "building", async () => {
    const quick = process.env.WEIR_BUILD === "dev";
    const inputs = `${await fingerprint(INPUTS)}${quick ? " dev" : ""}`;
    if (existsSync(STAMP) && (await readFile(STAMP, "utf8")) === inputs) return;
    say("building the policy lab (a minute the first time)");
    await rm(PKG, { recursive: true, force: true });
    await mkdir(PKG, { recursive: true });
    const failure = "the policy lab could not be built; what the compiler said is above.";
    await run("cargo", ["build", "--lib", "--features", "lab", "--target", WASM, ...(quick ? [] : ["--profile", "lab"])], { failure });
    // The Worker's build puts its own under this name again; the lock keeps the two apart.
    const target = process.env.CARGO_TARGET_DIR ?? join(ROOT, "target");
    const made = join(target, WASM, quick ? "debug" : "lab", "weir.wasm");
    // A classic script: a page that was opened from disk can start no other in a worker.
    await run(tool("wasm-bindgen"), [made, "--target", "no-modules", "--no-typescript", "--out-name", "weir", "--out-dir", PKG], { failure });
    const wasm = join(PKG, "weir_bg.wasm");
    // A tenth quicker.
    if (!quick) await run(WASM_OPT, ["-O3", ...FEATURES.map((name) => `--enable-${name}`), wasm, "-o", wasm], { failure });
    await oneFile();
    await writeFile(STAMP, inputs);
  });

/** The lab as one page that needs no server: everything it would fetch stands inside it. */
async function oneFile() {
  const text = (...path) => readFile(join(WWW, ...path), "utf8");
  const page = await text("lab.html");
  // Not above: the packages are there only once the set-up has run.
  const { build: bundle } = await import("esbuild");
  const { outputFiles } = await bundle({ entryPoints: [join(WWW, "lab", "lab.js")], bundle: true, format: "iife", write: false, charset: "utf8" });
  const glue = await text("lab", "pkg", "weir.js");
  const [worker, reader] = await Promise.all(["worker.js", "reader.js"].map(async (name) => `${glue}\n${await text("lab", name)}`));
  const wasm = (await readFile(join(PKG, "weir_bg.wasm"))).toString("base64");
  const icon = (await readFile(join(WWW, "lab", "icon.svg"))).toString("base64");
  // No "<" may end the element early.
  const inside = JSON.stringify({ worker, reader, wasm }).replaceAll("<", "\\u003c");
  const csp = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
  const css = `${await text("page.css")}\n${await text("lab", "lab.css")}`;
  const swap = [
    [/(<meta http-equiv="Content-Security-Policy" content=")[^"]*/, (_, before) => before + csp],
    [/href="lab\/icon\.svg"/, () => `href="data:image/svg+xml;base64,${icon}"`],
    [/<link rel="stylesheet" href="page\.css">\n *<link rel="stylesheet" href="lab\/lab\.css">/, () => `<style>\n${css}</style>`],
    [/ *<script type="module" src="lab\/lab\.js"><\/script>\n/, () => ""],
    [/<\/body>/, () => `<script type="application/json" id="bundle">${inside}</script>\n<script>\n${outputFiles[0].text.replaceAll("</script", "<\\/script")}</script>\n</body>`],
  ];
  const whole = swap.reduce((all, [from, to]) => {
    if (!from.test(all)) throw new Error(`www/lab.html has no ${from}`);
    return all.replace(from, to);
  }, page);
  await writeFile(join(PKG, "weir-lab.html"), whole);
}
