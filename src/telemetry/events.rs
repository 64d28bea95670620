//! What goes to Analytics Engine: lines of reports, added up while they wait for their turn.
//!
//! The platform takes 25 data points of one invocation (of late 250). A report may have more lines,
//! so those with the highest numbers go first, and the others wait and grow.

use crate::map::Sorted;

/// Data points that one invocation writes.
pub const AT_ONCE: usize = 25;
/// Names that may wait.
const MAX_WAITING: usize = 1024;
/// The lines that are data points.
const KINDS: [&str; 3] = ["requests\t", "network\t", "key\t"];

/// Data points that wait.
#[derive(Debug, Default)]
pub struct Events {
    waiting: Sorted<String, Vec<u64>>,
}

impl Events {
    /// Adds a report's lines. Gives how many found no room.
    pub fn add(&mut self, report: &str) -> u64 {
        let mut lost = 0_u64;
        for line in report.lines() {
            let is_point = KINDS.iter().any(|kind| line.starts_with(kind));
            let Some((name, numbers)) = line.rsplit_once('\t').filter(|_| is_point) else {
                continue;
            };
            if self.waiting.len() >= MAX_WAITING && self.waiting.get(name).is_none() {
                lost = lost.saturating_add(1);
                continue;
            }
            let Some(sums) = self.waiting.get_or_default(name.to_owned()) else {
                continue;
            };
            for (place, number) in numbers.split(' ').enumerate() {
                let number = number.parse().unwrap_or(0);
                match sums.get_mut(place) {
                    Some(sum) => *sum = u64::saturating_add(*sum, number),
                    None => sums.push(number),
                }
            }
        }
        lost
    }

    /// Takes the points of one invocation out: a line each, fields and then numbers.
    pub fn take(&mut self) -> String {
        let mut out = String::new();
        for _ in 0..AT_ONCE {
            let most = self
                .waiting
                .iter()
                .max_by_key(|(_, sums)| sums.iter().max());
            let Some((name, numbers)) = most else { break };
            out.push_str(name);
            let mut before = '\t';
            for number in numbers {
                out.push(before);
                out.push_str(&number.to_string());
                before = ' ';
            }
            out.push('\n');
            let name = name.clone();
            self.waiting.remove(&name);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_wait_and_grow_and_the_largest_go_first() {
        let mut events = Events::default();
        for number in 0..40 {
            let line = format!("network\ta\t{number}\tNL\t0 {}\n", number + 1);
            assert_eq!(events.add(&line), 0);
        }
        assert_eq!(
            events.add("requests\ta\tip\tpassed\t\t7\nrule\ta\t7 0 0 0\n"),
            0
        );
        let first = events.take();
        assert_eq!(first.lines().count(), AT_ONCE);
        assert!(first.starts_with("network\ta\t39\tNL\t0 40\n"), "{first}");
        events.add("requests\ta\tip\tpassed\t\t70\n");
        let second = events.take();
        assert_eq!(second.lines().next(), Some("requests\ta\tip\tpassed\t\t77"));
        assert_eq!(second.lines().count(), 16);
        assert_eq!(events.take(), "");
    }

    #[test]
    fn what_waits_has_a_bound() {
        let mut events = Events::default();
        let lines: String = (0..MAX_WAITING + 5)
            .map(|number| format!("network\ta\t{number}\tNL\t0 1\n"))
            .collect();
        assert_eq!(events.add(&lines), 5);
    }
}
