// Forwards everything: what any Worker costs.
export default { fetch: (request, env) => env.ORIGIN.fetch(request) };
