// `npm run build`, and the build command of wrangler.toml: so that `npx wrangler dev` and
// `npx wrangler deploy` never run a Worker that is older than its sources, or a faulty policy.
import { buildWorker, check } from "./lib/build.mjs";
import { buildLab } from "./lib/lab.mjs";
import { main } from "./lib/say.mjs";
import { setUp } from "./lib/setup.mjs";

main(async () => {
  await setUp();
  await check();
  await buildWorker();
  await buildLab();
});
