// Policies with one fault each, one of every kind, and the place where it is.
const limit = (fields) => ({ name: "l", key: ["ip"], algorithm: "sliding-window", quota: 5, window: "60s", ...fields });
const inRule = (fields, place) => [{ rules: [{ name: "r", match: { path: "/a/:id" }, limits: [limit()], ...fields }] }, `rules[0].${place}`];
const inLimit = (fields, place) => inRule({ limits: [limit(fields)] }, `limits[0].${place}`);
const inMatch = (match, place) => inRule({ match }, `match.${place}`);
const inBody = (body, place) => inRule({ body: { max_bytes: 1_000, ...body } }, `body.${place}`);
const inPolicy = (fields, place) => [{ rules: [], ...fields }, place];
const six = ["a", "b", "c", "d", "e", "f"].map((name) => limit({ name, key: [`header:${name}`] }));

/** `[what, document, path]` */
export const FAULTS = [
  ["an unknown field", ...inLimit({ qouta: 7 }, "qouta")],
  ["a field that is missing", ...inLimit({ window: undefined }, "window")],
  ["a name that is taken", ...inRule({ limits: [limit(), limit()] }, "limits[1].name")],
  ["a name that is none", ...inLimit({ name: "l l" }, "name")],
  ["text for a number", ...inLimit({ quota: "5" }, "quota")],
  ["zero", ...inLimit({ quota: 0 }, "quota")],
  ["a negative number", ...inLimit({ quota: -1 }, "quota")],
  ["a fraction", ...inLimit({ quota: 1.5 }, "quota")],
  ["an enormous number", ...inLimit({ quota: 1e30 }, "quota")],
  ["a quota that no log keeps", ...inLimit({ quota: 10_001 }, "quota")],
  ["a duration without a unit", ...inLimit({ window: "60" }, "window")],
  ["a duration that is too long", ...inLimit({ window: "9999d" }, "window")],
  ["an algorithm that there is not", ...inLimit({ algorithm: "tokenbucket" }, "algorithm")],
  ["a kind of key part that there is not", ...inLimit({ key: ["api_kye:x"] }, "key[0]")],
  ["a key part that is not there yet", ...inLimit({ key: ["jwt:sub"] }, "key[0]")],
  ["a header name that is none", ...inLimit({ key: ["header:bad name"] }, "key[0]")],
  ["a segment that the pattern lacks", ...inLimit({ key: ["path:other"] }, "key[0]")],
  ["a key from a body without a bound", ...inLimit({ key: ["body:user"] }, "key[0]")],
  ["a tier source that there is not", ...inLimit({ tier: "plan", quotas: { free: { quota: 1 } } }, "tier")],
  ["a cost that is none", ...inLimit({ cost: "words" }, "cost")],
  ["more homes than a request may have", ...inRule({ limits: six }, "").map((value, i) => (i === 1 ? "rules[0]" : value))],
  ["a list for a table", ...inRule({ match: ["/a"] }, "match")],
  ["a pattern that is none", ...inMatch({ path: "/a*b" }, "path")],
  ["a network that is none", ...inMatch({ ip: ["10.0.0.0/33"] }, "ip[0]")],
  ["a country that is none", ...inMatch({ country: ["Germany"] }, "country[0]")],
  ["a method that is none", ...inMatch({ method: ["GE T"] }, "method[0]")],
  ["a size that is none", ...inBody({ max_bytes: "16 K" }, "max_bytes")],
  ["a keyword of JSON Schema that is not understood", ...inBody({ json: { schema: { oneOf: [] } } }, "json.schema.oneOf")],
  ["a regular expression that does not compile", ...inBody({ json: { schema: { pattern: "(" } } }, "json.schema.pattern")],
  ["a pointer that is none", ...inBody({ json: { cost: { terms: ["accounts#"], max: 5 } } }, "json.cost.terms[0]")],
  ["a status that no refusal has", ...inRule({ respond: { status: 200 } }, "respond.status")],
  ["an origin that is none", ...inRule({ cors: ["example.com"] }, "cors[0]")],
  ["two deadlines that contradict each other", ...inRule({ deadline: { headers: "9s", total: "2s" } }, "deadline.total")],
  ["an action that is not there yet", ...inRule({ action: "challenge" }, "action")],
  ["slots without their number", ...inRule({ concurrency: [{ name: "s", key: [] }] }, "concurrency[0].running")],
  ["a prefix that is too long", ...inPolicy({ ipv6_prefix: 129 }, "ipv6_prefix")],
  ["a dialect that there is not", ...inPolicy({ headers: ["draft-9"] }, "headers[0]")],
];

/** All of them in one document, each in a rule of its own, and where they are then. */
export function together() {
  const whole = { rules: [] };
  const paths = FAULTS.map(([, { rules, ...fields }, path]) => {
    Object.assign(whole, fields);
    const at = whole.rules.length;
    for (const rule of rules) whole.rules.push({ ...rule, name: `r${at}` });
    return path.replace("rules[0]", `rules[${at}]`);
  });
  return { document: whole, paths };
}
