// Asks one object for each client, which does next to nothing, and then forwards: the least that
// asking a counter for every request costs.
export class Counter {
  constructor() {
    this.count = 0;
  }

  fetch() {
    this.count += 1;
    return new Response(null, { headers: { a: String(this.count) } });
  }
}

export default {
  async fetch(request, env) {
    const counter = env.COUNTER.getByName(request.headers.get("cf-connecting-ip"));
    await counter.fetch("http://counter/");
    return env.ORIGIN.fetch(request);
  },
};
