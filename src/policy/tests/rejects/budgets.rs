//! Limits, keys, costs, tiers and slots.

use super::*;

#[test]
fn limits() {
    let limit =
        |fields: &str, message: &str| limit(fields, &format!("rules[0].limits[0].{message}"));
    limit(
        "name = absent",
        "name: missing; write a name of letters, digits, \"-\" and \"_\"",
    );
    limit(
        "key = absent",
        "key: missing; write a key part such as \"ip\" or \"header:x-api-key|ip\", or a list of such",
    );
    limit(
        "algorithm = absent",
        "algorithm: missing; write \"token-bucket\", \"sliding-window\", \"sliding-counter\" or \"fixed-window\"",
    );
    limit(
        "quota = absent",
        "quota: missing; write how many units each window has",
    );
    limit(
        "window = absent",
        "window: missing; write a duration such as \"60s\"",
    );
    limit(
        "algorithm = \"leaky-bucket\"",
        "algorithm: \"leaky-bucket\" is unknown; write \"token-bucket\" or \"sliding-window\" or \"sliding-counter\" or \"fixed-window\"",
    );
    limit("window = 60", "window: 60 has no unit; write \"60s\"");
    limit(
        "burst = 0",
        "burst: 0 is zero; write a whole number from 1 to 1000000000000",
    );
    limit(
        "algorithm = \"sliding-window\"\nburst = 20",
        "burst: a burst, which only \"token-bucket\" has; leave it out",
    );
    limit(
        "algorithm = \"sliding-window\"\nquota = 10001",
        "quota: 10001 is more than \"sliding-window\" can keep; write at most 10000, or algorithm = \"sliding-counter\"",
    );
    limit(
        "quota = 700000\nwindow = \"1s\"",
        "quota: 700000 in 1s is too fast for \"token-bucket\", which counts in microseconds; write algorithm = \"sliding-counter\", or fewer units",
    );
    limit(
        "quota = 1\nwindow = \"300d\"\nburst = 2",
        "burst: 2 units take longer than a year to fill; write less",
    );
    limit("block = \"0s\"", "block: \"0s\" is zero; write 1s to 366d");
    limit(
        "block = [\"1m\", 10]",
        "block[1]: 10 has no unit; write \"10s\"",
    );
    limit("block = 60", "block: 60 has no unit; write \"60s\"");
    limit(
        "block = []",
        "block: an empty list; leave it out, or name at least one",
    );
    limit(
        "jitter = \"2h\"",
        "jitter: \"2h\" is too long; write 0s to 1h",
    );
    limit(
        "precision = \"lease\"",
        "precision: \"lease\" is unknown; did you mean \"leased\"?",
    );
    limit(
        "scope = \"regional\"",
        "scope: \"regional\" is unknown; did you mean \"region\"?",
    );
    limit(
        "count = {}",
        "count.status: missing; write a whole number from 200 to 599, or a list of such",
    );
    limit(
        "count.status = [99]",
        "count.status[0]: 99 is too small; write a whole number from 200 to 599",
    );
}

#[test]
fn distinct_has_a_way_of_counting_of_its_own() {
    let limit =
        |fields: &str, message: &str| limit(fields, &format!("rules[0].limits[0].{message}"));
    limit(
        "distinct = \"query:u\"",
        "algorithm: an algorithm beside \"distinct\", which has its own; leave it out",
    );
    limit(
        "algorithm = absent\ndistinct = \"query:u\"\nquota = 10001",
        "quota: 10001 is more than \"distinct\" can keep; write at most 10000",
    );
    limit(
        "algorithm = absent\ndistinct = \"qeury:u\"",
        "distinct: \"qeury:u\" is no key part; did you mean \"query:u\"?",
    );
    limit(
        "algorithm = absent\ndistinct = \"query:u\"\ncost = 2",
        "cost: \"cost\" beside \"distinct\", which counts values; leave one of them out",
    );
    limit(
        "algorithm = absent\ndistinct = \"query:u\"\ncount.status = 401",
        "count: \"count\" beside \"distinct\", which counts values; leave one of them out",
    );
}

#[test]
fn quotas_by_tier() {
    let plans = |fields: &str, message: &str| {
        let good = "name = \"l\"\nkey = [\"ip\"]\nalgorithm = \"token-bucket\"\nwindow = \"60s\"\ntier = \"plan\"";
        let limit = over(good, fields);
        let toml = format!(
            "[tiers.plan]\nkey = \"ip\"\nkv = \"T\"\ndefault = \"free\"\n[[rules]]\nname = \"r\"\n[[rules.limits]]\n{limit}"
        );
        rejects(&toml, &format!("rules[0].limits[0].{message}"));
    };
    plans(
        "tier = \"plans\"\nquota = 1",
        "tier: \"plans\" is no entry of \"tiers\"; did you mean \"plan\"?",
    );
    plans(
        "quotas.pro.quota = 1",
        "quota: missing, and \"quotas\" lacks the default tier \"free\"; write one of them",
    );
    plans(
        "quotas.free = { burst = 1 }",
        "quotas.free.quota: missing; write a whole number from 1 to 1000000000000",
    );
    plans(
        "quotas.free = { quota = 1, window = \"0s\" }",
        "quotas.free.window: \"0s\" is zero; write 1ms to 366d",
    );
    plans(
        "algorithm = \"sliding-window\"\nquota = 1\nquotas.pro.quota = 20000",
        "quotas.pro.quota: 20000 is more than \"sliding-window\" can keep; write at most 10000, or algorithm = \"sliding-counter\"",
    );
    limit(
        "quotas.free.quota = 1",
        "rules[0].limits[0].quotas: quotas by tier without \"tier\"; write tier = \"NAME\" of an entry of \"tiers\"",
    );
    limit(
        "tier = \"plan\"",
        "rules[0].limits[0].tier: \"plan\" is no entry of \"tiers\"; write [tiers.plan] first",
    );
}

#[test]
fn slots_of_a_rule() {
    let slots =
        |fields: &str, message: &str| slots(fields, &format!("rules[0].concurrency[0].{message}"));
    slots(
        "running = absent",
        "running: missing; write a whole number from 1 to 100000",
    );
    slots(
        "running = 0",
        "running: 0 is zero; write a whole number from 1 to 100000",
    );
    slots(
        "waiting = -1",
        "waiting: -1 is negative; write a whole number from 0 to 100000",
    );
    slots(
        "waiting = 1\nmax_wait = \"1h\"",
        "max_wait: \"1h\" is too long; write 1ms to 10m",
    );
    slots(
        "status = 500",
        "status: 500 is neither 429 nor 503; write 429 (too many from this client) or 503 (too busy)",
    );
    slots(
        "status = 404",
        "status: 404 is neither 429 nor 503; write 429 (too many from this client) or 503 (too busy)",
    );
    slots(
        "retry_after = \"500ms\"",
        "retry_after: \"500ms\" is too short; write 1s to 1d",
    );
    slots(
        "waiting = 1\nfair_by = []",
        "fair_by: an empty list; leave it out, or name at least one",
    );
    rule(
        "limits = [{ name = \"a\", key = [], algorithm = \"fixed-window\", quota = 1, window = \"1d\" }]\nconcurrency = [{ name = \"a\", key = [], running = 1 }]",
        "rules[0].concurrency[0].name: \"a\" is taken; give each a name of its own",
    );
}

#[test]
fn more_counter_objects_than_one_request_may_ask() {
    let limit = |name: &str, key: &str| {
        format!(
            "{{ name = \"{name}\", key = [\"{key}\"], algorithm = \"fixed-window\", quota = 1, window = \"1d\" }}, "
        )
    };
    let four: String = ["a", "b", "c", "d"]
        .map(|name| limit(name, &format!("header:{name}")))
        .concat();
    let rules = |more: &str| {
        format!(
            "[[rules]]\nname = \"all\"\nlimits = [{}]\n[[rules]]\nname = \"r\"\nmatch.path = \"/r\"\nlimits = [{four}{more}]",
            limit("ip", "ip")
        )
    };
    accepts(&rules(&limit("same", "cookie:x|ip")));
    rejects(
        &rules(&limit("e", "header:e")),
        "rules[1]: one request would ask 6 counter objects; at most 5: let more keys begin with the same part, or put \"ip\" into them",
    );
}
