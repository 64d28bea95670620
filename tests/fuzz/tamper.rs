//! Inputs made of seeds: bytes changed, taken out, doubled, and mixed with what parsers look for.

#[path = "../sim/rng.rs"]
mod rng;

use rng::Rng;

/// Longest input, in bytes.
const MOST_BYTES: usize = 4_096;

/// What means something to one parser or another, or is at the edge of meaning it.
const WORDS: &[&[u8]] = &[
    b"\n",
    b"\r\n",
    b"/",
    b"//",
    b"/.",
    b"/..",
    b"%2e",
    b"%2F",
    b"%",
    b"%e2%82%ac",
    b"\\",
    b"?",
    b"#",
    b":",
    b"*",
    b"=",
    b";",
    b", ",
    b"; a=",
    b"\"",
    b"&",
    b"+",
    b"[",
    b"]",
    b"{",
    b"}",
    b"[[",
    b"}}",
    b",",
    b"null",
    b"true",
    b"0",
    b"-0",
    b"1.0",
    b"1e9",
    b"1e999999999",
    b"18446744073709551616",
    b"\\u0061",
    b"\\ud800",
    b"\\ud83d\\ude00",
    b"\0",
    b"\xff",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xe2\x82\xac",
    b"\xef\xbb\xbf",
    b"::",
    b"::ffff:",
    b"255.255.255.255",
    b"--b\r\n",
    b"--b--",
    b"...",
    b"fragment a on B",
    b"@",
    b"$",
    b"!",
    b"\"\"\"",
    b"60s",
    b"16KiB",
    b"ip",
    b"body:a",
    b"header:x|ip",
    b"rules",
    b"limits",
    b"key",
    b"quota",
];

/// An endless source of inputs, the same for the same name and seeds.
pub struct Tamper<'a> {
    rng: Rng,
    seeds: &'a [Vec<u8>],
}

impl<'a> Tamper<'a> {
    pub fn new(name: &str, seeds: &'a [Vec<u8>]) -> Tamper<'a> {
        let seed = name
            .bytes()
            .fold(0, |sum: u64, byte| sum.wrapping_mul(31) + u64::from(byte));
        Tamper {
            rng: Rng::new(seed),
            seeds,
        }
    }

    /// The next one.
    pub fn input(&mut self) -> Vec<u8> {
        let mut input = self.rng.pick(self.seeds).clone();
        for _ in 0..self.rng.range(1, 9) {
            self.step(&mut input);
            input.truncate(MOST_BYTES);
        }
        input
    }

    fn step(&mut self, input: &mut Vec<u8>) {
        let at = self.below(input.len() + 1);
        let end = at + self.below((input.len() - at).min(64) + 1);
        match self.rng.range(0, 7) {
            0 => drop(input.drain(at..end)),
            1 => {
                let piece = input[at..end].to_vec();
                for _ in 0..self.rng.range(1, 20) {
                    input.splice(at..at, piece.iter().copied());
                }
            }
            2 => {
                let other = self.rng.pick(self.seeds);
                let from = self.below(other.len() + 1);
                input.splice(at..end, other[from..].iter().copied());
            }
            3 if at < input.len() => input[at] ^= 1 << self.rng.range(0, 8),
            4 => input.insert(at, self.rng.next().to_le_bytes()[0]),
            _ => {
                let word = *self.rng.pick(WORDS);
                let end = if self.rng.permille(500) { at } else { end };
                input.splice(at..end, word.iter().copied());
            }
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("a small number");
        usize::try_from(self.rng.range(0, bound)).expect("a small number")
    }
}
