// Weir in front of an origin with one path for each way a request can take through it.
import { request } from "./client.mjs";
import { startOrigin } from "./origin.mjs";
import { startWorkerd } from "./workerd.mjs";

const limit = { name: "ip", key: ["ip"], algorithm: "token-bucket", quota: 1_000_000, window: "1s" };

/** No rule at all; fields added; the body held or counted; a deadline over all of it. */
export const WAYS = ["/plain", "/limited", "/watched", "/late"];

const POLICY = {
  headers: ["draft-8", "x-ratelimit"],
  rules: [
    { name: "limited", match: { path: "/limited/*" }, limits: [limit] },
    { name: "watched", match: { path: "/watched/*" }, limits: [limit], body: { max_bytes: "100MiB", buffer: "16KiB", timeout: "60s" } },
    { name: "late", match: { path: "/late/*" }, limits: [limit], deadline: { headers: "50s", total: "60s" } },
  ],
};

export async function passing(scope, options = {}) {
  const origin = await startOrigin(scope);
  const weir = await startWorkerd(scope, { origin, policy: POLICY, ...options });
  return {
    origin,
    weir,
    /** The answer, and what the origin saw, which forgets it. */
    through: async (fields) => {
      const answer = await request(weir.port, fields);
      await origin.until({ in_flight_max: 0 });
      const records = await origin.records();
      await origin.reset();
      return { answer, records, seen: records[0] };
    },
  };
}

/** Every way to an origin that is reached in each manner: `{ via, way, title }`, and the stand. */
export async function everywhere(scope) {
  const stands = await Promise.all(["service", "url", "route"].map(async (via) => ({ via, ...(await passing(scope, { via })) })));
  return stands.flatMap((stand) => WAYS.map((way) => ({ ...stand, way, title: `${stand.via} ${way}` })));
}

/** Fields that Weir adds itself. */
const ADDED = /^(ratelimit|ratelimit-policy|x-ratelimit-(limit|remaining|reset))$/i;

export const own = (headers) => headers.filter(([name]) => !ADDED.test(name));
export const added = (headers) => headers.filter(([name]) => ADDED.test(name));
