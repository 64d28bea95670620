//! `weir replay POLICY -` as a user has it: the program itself, behind a pipe.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const POLICY: &str = r#"{"rules":[{"name":"r","limits":[{"name":"l","key":["ip"],"algorithm":"fixed-window","quota":10,"window":"1d"}]}]}"#;

fn log(lines: usize) -> String {
    "192.0.2.1 - - [05/Jan/2026:12:00:00 +0000] \"GET / HTTP/1.1\" 200 10\n".repeat(lines)
}

/// Stored without compression, so that where it is cut says what was in it.
fn packed(text: &str) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::none());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

struct Policy(PathBuf);

impl Policy {
    fn new(name: &str) -> Policy {
        let file = format!("weir-pipe-{}-{name}.json", std::process::id());
        let path = std::env::temp_dir().join(file);
        std::fs::write(&path, POLICY).unwrap();
        Policy(path)
    }

    /// Sends pieces one by one, then closes the pipe.
    fn replay(&self, pieces: &[&[u8]]) -> (i32, u64, u64, String) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_weir"))
            .arg("replay")
            .arg(&self.0)
            .args(["-", "--json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        for piece in pieces {
            pipe.write_all(piece).unwrap();
            pipe.flush().unwrap();
        }
        drop(pipe);
        found(child.wait_with_output().unwrap())
    }
}

impl Drop for Policy {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Code, requests, refused, and what was complained of.
fn found(output: Output) -> (i32, u64, u64, String) {
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let number = |name: &str| report[name].as_u64().unwrap_or(0);
    (
        output.status.code().unwrap(),
        number("requests"),
        number("refused"),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn plain_text_in_pieces_that_end_anywhere() {
    let policy = Policy::new("plain");
    let text = log(9_000);
    let (first, rest) = text.as_bytes().split_at(1);
    let (second, third) = rest.split_at(300_003);
    let expected = (0, 9_000, 8_990, String::new());
    assert_eq!(policy.replay(&[first, second, third]), expected);
    assert_eq!(policy.replay(&[]), (0, 0, 0, String::new()));
}

#[test]
fn gzip_of_several_members() {
    let policy = Policy::new("gzip");
    let whole = [packed(&log(3_000)), packed(&log(2_000))].concat();
    let (first, rest) = whole.split_at(1);
    let expected = (0, 5_000, 4_990, String::new());
    assert_eq!(policy.replay(&[first, rest]), expected);
}

#[test]
fn a_pipe_that_ends_within_a_member_is_told_with_what_came_before() {
    let policy = Policy::new("torn");
    let (one, other) = (packed(&log(100)), packed(&log(1_000)));
    let line = log(1).len();
    // The head of a member and of its only block, ten lines, and a part of the eleventh.
    let cut = [&one[..], &other[..15 + 10 * line + 20]].concat();
    let (code, requests, refused, complaints) = policy.replay(&[&cut]);
    assert_eq!((code, requests, refused), (2, 110, 100), "{complaints}");
    assert!(complaints.starts_with("weir: -: "), "{complaints}");
    assert!(
        complaints.contains("the figures are of what came before that"),
        "{complaints}"
    );
    assert!(
        complaints.contains("weir: 1 of 111 lines are no requests:\n  -:111: "),
        "{complaints}"
    );
}

#[test]
fn lines_that_are_none_are_told_by_number() {
    let policy = Policy::new("lines");
    let text = format!("{}what?\n\n{}{{\"time\"\n{}", log(2), log(1), log(1));
    let (code, requests, _, complaints) = policy.replay(&[text.as_bytes()]);
    assert_eq!((code, requests), (1, 4));
    assert_eq!(
        complaints,
        "weir: 2 of 6 lines are no requests:\n  -:3: neither the common log format nor a JSON object\n  -:6: not valid JSON\n"
    );
}
