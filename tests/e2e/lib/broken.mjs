// A Worker whose counter objects fail: the other end of "the counter cannot be reached".
const HOW = {
  throws: 'throw new Error("out of order")',
  silent: "return new Promise((resolve) => setTimeout(resolve, 60_000))",
};

/** A workerd service `broken-HOW` with a class Counter that "throws", or is "silent" for a minute. */
export const broken = (how) => ({
  name: `broken-${how}`,
  worker: {
    modules: [{ name: "broken.js", esModule: `export class Counter { fetch() { ${HOW[how]}; } }` }],
    compatibilityDate: "2026-01-01",
    durableObjectNamespaces: [{ className: "Counter", uniqueKey: `broken-${how}`, enableSql: true }],
    durableObjectStorage: { inMemory: null },
  },
});
