//! What a wrangler configuration must have around the policy, at its top and in every environment.
//!
//! Named environments inherit `compatibility_flags` and `migrations`, but neither `vars` nor any
//! binding.

use crate::policy::fault::Fault;
use crate::policy::{self, Node, Policy};

/// Cloudflare's bound on one variable, in bytes.
const MAX_VARIABLE: usize = 5 * 1024;

/// One deployment that the file describes.
pub struct Environment<'a> {
    /// `env.NAME`, or `top level`.
    pub label: String,
    /// What stands in front of the places of its faults.
    prefix: String,
    own: &'a Node,
    top: &'a Node,
}

/// What was found out about one deployment.
#[derive(Default)]
pub struct Report {
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// What is legal but unwise.
    pub warnings: Vec<String>,
    /// The policy, where it is good.
    pub policy: Option<Policy>,
}

/// The deployments of a file: its top and every named environment, or only the one asked for.
pub fn environments<'a>(top: &'a Node, only: Option<&str>) -> Result<Vec<Environment<'a>>, String> {
    let mut all = vec![Environment {
        label: "top level".to_owned(),
        prefix: String::new(),
        own: top,
        top,
    }];
    if let Some(Node::Table(named)) = top.get("env") {
        all.extend(named.iter().map(|(name, own)| Environment {
            label: format!("env.{name}"),
            prefix: format!("env.{name}."),
            own,
            top,
        }));
    }
    let Some(only) = only else { return Ok(all) };
    let wanted = format!("env.{only}");
    let known: Vec<String> = all.iter().skip(1).map(|e| e.label.clone()).collect();
    all.retain(|environment| environment.label == wanted);
    if all.is_empty() {
        let known = if known.is_empty() {
            "none".to_owned()
        } else {
            known.join(", ")
        };
        return Err(format!("there is no [{wanted}]; the file has {known}"));
    }
    Ok(all)
}

impl Environment<'_> {
    /// The policy as it stands there.
    pub fn policy_node(&self) -> Option<&Node> {
        self.own.get("vars").and_then(|vars| vars.get("POLICY"))
    }

    /// Holds the deployment against what Weir needs.
    pub fn check(&self) -> Report {
        let mut report = Report::default();
        self.policy(&mut report);
        self.origin(&mut report);
        self.counters(&mut report);
        self.tiers(&mut report);
        let flags = self.inherited("compatibility_flags");
        if !flags
            .iter()
            .any(|flag| is_text(flag, "enable_request_signal"))
        {
            report.warnings.push(format!(
                "{}compatibility_flags lacks \"enable_request_signal\": a client that leaves is not noticed",
                self.prefix
            ));
        }
        if let Some(Node::Table(vars)) = self.own.get("vars") {
            for secret in ["KEY_SECRET", "ADMIN_TOKEN", "SESSION_KEY"] {
                if vars.iter().any(|(name, _)| name == secret) {
                    report.warnings.push(format!(
                        "{}vars.{secret} is a secret in plain sight: take it out, and run `npx wrangler secret put {secret}`",
                        self.prefix
                    ));
                }
            }
        }
        report
    }

    fn policy(&self, report: &mut Report) {
        let parsed = match self.policy_node() {
            None => {
                let found = if self.binding("kv_namespaces", "POLICY_KV") {
                    "missing; it is the floor under the one in POLICY_KV"
                } else {
                    "missing"
                };
                let expected = "write the policy there (named environments inherit no vars)";
                return report
                    .faults
                    .push(self.fault("vars.POLICY", found, expected));
            }
            Some(Node::Text(text)) => {
                self.size(text.len(), report);
                policy::parse(text)
            }
            Some(node) => {
                let json = node.to_json().map(|json| json.to_string());
                self.size(json.map_or(0, |json| json.len()), report);
                policy::check(node)
            }
        };
        match parsed {
            Ok(policy) => report.policy = Some(policy),
            Err(faults) => report.faults.extend(faults),
        }
    }

    /// A request's target is put behind the URL as it is, so nothing may follow its path.
    fn origin(&self, report: &mut Report) {
        let vars = self.own.get("vars");
        let Some(Node::Text(url)) = vars.and_then(|vars| vars.get("ORIGIN")) else {
            return;
        };
        let rest = ["http://", "https://"]
            .iter()
            .find_map(|scheme| url.strip_prefix(scheme));
        let is_sound = rest.is_some_and(|rest| {
            !rest.starts_with('/')
                && !rest.contains(['?', '#', '\\'])
                && !rest.contains(char::is_whitespace)
        });
        if !url.is_empty() && !is_sound || rest == Some("") {
            report.faults.push(self.fault(
                "vars.ORIGIN",
                &format!("{url:?}"),
                "write the origin's URL, with its scheme and without query or fragment, as in \"https://origin.example.com\"",
            ));
        }
    }

    fn size(&self, bytes: usize, report: &mut Report) {
        if bytes > MAX_VARIABLE {
            report.warnings.push(format!(
                "{}vars.POLICY has {bytes} bytes as JSON, and Cloudflare takes {MAX_VARIABLE} in a variable: keep a short one there, and put this one into KV with `weir push`",
                self.prefix
            ));
        }
    }

    fn counters(&self, report: &mut Report) {
        let bindings = self
            .own
            .get("durable_objects")
            .and_then(|objects| objects.get("bindings"));
        let counter = entries(bindings).find(|entry| text(entry, "name") == Some("COUNTER"));
        match counter.map(|entry| text(entry, "class_name")) {
            Some(Some("Counter")) => {}
            Some(_) => report.faults.push(self.fault(
                "durable_objects.bindings",
                "the binding COUNTER is of another class",
                "write class_name = \"Counter\"",
            )),
            None => report.faults.push(self.fault(
                "durable_objects.bindings",
                "the binding COUNTER is missing",
                "write { name = \"COUNTER\", class_name = \"Counter\" }",
            )),
        }
        let names = |list: &'static str| {
            let migrations = self.inherited("migrations");
            migrations.iter().any(|migration| {
                entries(migration.get(list)).any(|class| is_text(class, "Counter"))
            })
        };
        if names("new_sqlite_classes") {
            return;
        }
        let found = if names("new_classes") {
            "the class Counter is under new_classes, which gives it no SQLite"
        } else {
            "no migration creates the class Counter"
        };
        let expected = "write { tag = \"v1\", new_sqlite_classes = [\"Counter\"] }";
        report
            .faults
            .push(self.fault("migrations", found, expected));
    }

    fn tiers(&self, report: &mut Report) {
        let Some(policy) = &report.policy else { return };
        let lacking = policy
            .tiers
            .iter()
            .filter(|tier| !self.binding("kv_namespaces", &tier.kv));
        let faults = lacking.map(|tier| {
            let path = format!("vars.POLICY.tiers.{}.kv", tier.name);
            let found = format!("no KV namespace is bound as \"{}\"", tier.kv);
            self.fault(&path, &found, "write it under kv_namespaces")
        });
        let faults: Vec<Fault> = faults.collect();
        report.faults.extend(faults);
    }

    fn binding(&self, list: &str, name: &str) -> bool {
        entries(self.own.get(list)).any(|entry| text(entry, "binding") == Some(name))
    }

    fn inherited(&self, name: &str) -> Vec<&Node> {
        entries(self.own.get(name).or_else(|| self.top.get(name))).collect()
    }

    fn fault(&self, path: &str, found: &str, expected: &str) -> Fault {
        Fault {
            path: format!("{}{path}", self.prefix),
            found: found.to_owned(),
            expected: expected.to_owned(),
        }
    }
}

fn entries(node: Option<&Node>) -> impl Iterator<Item = &Node> {
    match node {
        Some(Node::List(items)) => items.iter(),
        _ => [].iter(),
    }
}

fn text<'a>(node: &'a Node, name: &str) -> Option<&'a str> {
    match node.get(name) {
        Some(Node::Text(text)) => Some(text),
        _ => None,
    }
}

fn is_text(node: &Node, wanted: &str) -> bool {
    matches!(node, Node::Text(text) if text == wanted)
}
