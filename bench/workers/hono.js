// hono-rate-limiter over its own object store, as its documentation puts them together.
import { DurableObjectRateLimiter, DurableObjectStore } from "@hono-rate-limiter/cloudflare";
import { Hono } from "hono";
import { rateLimiter } from "hono-rate-limiter";

const app = new Hono();
app.use((context, next) => {
  const limiter = rateLimiter({
    limit: context.env.QUOTA,
    windowMs: 60_000,
    standardHeaders: "draft-6",
    keyGenerator: ({ req }) => req.header("cf-connecting-ip") ?? "",
    store: new DurableObjectStore({ namespace: context.env.COUNTER }),
  });
  return limiter(context, next);
});
app.all("*", (context) => context.env.ORIGIN.fetch(context.req.raw));

export { DurableObjectRateLimiter as Counter };
export default app;
