// `npm run check [FILE]`: is the policy in wrangler.toml right?
import { check } from "./lib/build.mjs";
import { main } from "./lib/say.mjs";
import { rustReady } from "./lib/setup.mjs";

main(async ([file]) => {
  await rustReady();
  await check(file);
});
