// Forwards everything and adds the two RateLimit fields to the answer: the least that telling them
// costs.
export default {
  fetch: (request, env) =>
    env.ORIGIN.fetch(request).then((response) => {
      const answer = new Response(response.body, response);
      answer.headers.set("ratelimit-policy", '"rule.ip";q=10000000;w=60');
      answer.headers.set("ratelimit", '"rule.ip";r=9999999;t=1');
      return answer;
    }),
};
