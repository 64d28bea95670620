// The policy that the lab begins with.

export const EXAMPLE = `[[rules]]
name  = "availability"
match = { path = "/api/usernames/available", method = ["GET"] }
limits = [
  { name = "ip",      key = ["ip"],                algorithm = "sliding-window", quota = 120, window = "60s" },
  { name = "session", key = ["cookie:session|ip"], algorithm = "sliding-window", quota = 30,  window = "60s" },
  { name = "breaker", key = [],                    algorithm = "token-bucket",   quota = 100, window = "1s", burst = 200 },
]

[[rules]]
name  = "sign-in"
match = { path = "/login", method = ["POST"] }
limits = [
  { name = "failures", key = ["ip"], algorithm = "sliding-window", quota = 5, window = "10m", count.status = [401], block = ["1m", "10m"] },
]
`;
