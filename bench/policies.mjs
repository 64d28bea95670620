// What Weir is measured with. Fields and counters are as an operator would have them: the RateLimit
// fields on every answer, durable counters, metrics.
const PLENTY = 10_000_000;

const limit = (fields) => ({ name: "ip", key: ["ip"], window: "60s", ...fields });
const rule = (limits, fields = {}) => ({ name: "rule", match: { path: "/*" }, limits, ...fields });

/** Never reached. */
export const generous = (precision) => ({ rules: [rule([limit({ algorithm: "token-bucket", quota: PLENTY, precision })])] });

/** Rules that no request of the bench meets. */
export const elsewhere = () => ({
  rules: [rule([limit({ algorithm: "token-bucket", quota: PLENTY })], { match: { path: "/elsewhere/*" } })],
});

/** Five limits of four kinds, with two homes. */
export const five = () => ({
  rules: [
    rule([
      limit({ algorithm: "token-bucket", quota: PLENTY }),
      limit({ name: "method", key: ["ip", "method"], algorithm: "sliding-counter", quota: PLENTY }),
      limit({ name: "route", key: ["ip", "route"], algorithm: "token-bucket", quota: PLENTY }),
      limit({ name: "day", key: ["header:x-api-key|ip"], algorithm: "fixed-window", quota: PLENTY, window: "1d" }),
      limit({ name: "all", key: [], algorithm: "token-bucket", quota: 500_000, window: "1s" }),
    ]),
  ],
});

/** One rule that holds for everything, among others that each hold for a path of their own. */
export const many = (count) => ({
  rules: [
    ...Array.from({ length: count - 1 }, (_, i) => ({
      name: `rule-${i}`,
      match: { path: `/service-${i}/:id/items`, method: i % 2 === 0 ? ["GET"] : ["POST", "PUT"] },
      limits: [limit({ algorithm: "token-bucket", quota: PLENTY })],
    })),
    ...generous("leased").rules,
  ],
});

/** For a flood. */
export const tight = () => ({ rules: [rule([limit({ algorithm: "sliding-window", quota: 100 })])] });

/** For visitors as a site has them, who come near the limit; or with other `fields` of it, who do not. */
export const visitors = (algorithm, precision, fields) => ({ rules: [rule([limit({ algorithm, quota: 120, precision, ...fields })])] });
