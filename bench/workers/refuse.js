// Refuses everything: the least that a refusal costs.
export default {
  fetch: () => new Response("slow down", { status: 429, headers: { "retry-after": "1" } }),
};
