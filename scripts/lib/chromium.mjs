import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

const NAMES = [
  "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

export const HOW_TO_GET_ONE =
  "the browser tests need Chrome or Chromium: install one (on Debian or Ubuntu, `apt-get install chromium`), or set CHROMIUM to the path of one.";

/** The path of an installed Chrome or Chromium, or null. */
export function chromium() {
  const runs = (path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  const paths = (name) => (isAbsolute(name) ? [name] : (process.env.PATH ?? "").split(delimiter).map((dir) => join(dir, name)));
  const { CHROMIUM } = process.env;
  return (CHROMIUM ? [CHROMIUM] : NAMES).flatMap(paths).find(runs) ?? null;
}
