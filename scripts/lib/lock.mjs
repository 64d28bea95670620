// One at a time: two set-ups or builds in one checkout would write the same files.
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { say } from "./say.mjs";

const BEAT_MS = 2000;
// a holder that has not been heard of for this long is gone, even if its pid lives on as another
const SILENCE_MS = 30_000;

/** Does `body` while no other process does anything under the same lock file. */
export async function alone(file, what, body) {
  await mkdir(dirname(file), { recursive: true });
  let told = false;
  while (!(await taken(file))) {
    if (await abandoned(file)) continue;
    if (!told) say(`waiting for another run to finish ${what} (it holds ${file})`);
    told = true;
    await pause(200);
  }
  const now = () => utimes(file, new Date(), new Date()).catch(() => {});
  const beat = setInterval(now, BEAT_MS);
  const release = () => rmSync(file, { force: true });
  process.once("exit", release);
  try {
    return await body();
  } finally {
    clearInterval(beat);
    process.removeListener("exit", release);
    release();
  }
}

const taken = (file) =>
  writeFile(file, String(process.pid), { flag: "wx" }).then(() => true, (error) => {
    if (error.code !== "EEXIST") throw error;
    return false;
  });

const alive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
};

/** Takes a dead holder's lock away; true where it is worth trying again at once. */
async function abandoned(file) {
  const read = async (path) => {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
    const silent = Date.now() - mtimeMs;
    // an empty file is one that its holder is about to write
    return silent > SILENCE_MS || (text !== "" && !alive(Number(text)));
  };
  try {
    if (!(await read(file))) return false;
    // renamed before it is removed, so that of several who wait only one removes it; and looked at
    // again, since what was renamed may be the lock of one who has been quicker
    const aside = `${file}.${process.pid}`;
    await rename(file, aside);
    if (!(await read(aside))) await link(aside, file).catch(() => {});
    await rm(aside, { force: true });
    return true;
  } catch (error) {
    if (error.code === "ENOENT") return true;
    throw error;
  }
}
