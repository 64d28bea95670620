//! Small letters, in a tenth of the space that the standard library's table takes: 4 KiB of the
//! Worker, gzipped.

/// The small letter of a letter, where that is one character; the character itself otherwise.
#[must_use]
pub fn lower(c: char) -> char {
    let code = u32::from(c);
    let mut first = 0_u32;
    for run in RUNS.chunks_exact(3) {
        let &[skip, span, add] = run else { break };
        first = first.saturating_add(skip.into());
        if code < first {
            break;
        }
        let (last, every) = (u32::from(span >> 1), u32::from(span & 1).saturating_add(1));
        let at = code.saturating_sub(first);
        if at <= last && at.is_multiple_of(every) {
            let (plane, place) = (code & !0xffff, code & 0xffff);
            let small = place.wrapping_add(add.into()) & 0xffff;
            return char::from_u32(plane | small).unwrap_or(c);
        }
    }
    c
}

/// Runs of capital letters, three numbers each: how far the first is from the first before; twice
/// how far the last is from it, and one more where only every second is a capital; and what to add,
/// within 16 bits.
#[rustfmt::skip]
const RUNS: [u16; 555] = [
    65, 50, 32, 127, 44, 32, 24, 12, 32, 40, 93, 1, 50, 9, 1, 7, 29, 1, 17, 89, 1, 46, 0, 65415, 1,
    9, 1, 8, 0, 210, 1, 5, 1, 4, 0, 206, 1, 0, 1, 2, 2, 205, 2, 0, 1, 3, 0, 79, 1, 0, 202, 1, 0,
    203, 1, 0, 1, 2, 0, 205, 1, 0, 207, 2, 0, 211, 1, 0, 209, 1, 0, 1, 4, 0, 211, 1, 0, 213, 2, 0,
    214, 1, 9, 1, 6, 0, 218, 1, 0, 1, 2, 0, 218, 3, 0, 1, 2, 0, 218, 1, 0, 1, 2, 2, 217, 2, 5, 1, 4,
    0, 219, 1, 0, 1, 4, 0, 1, 8, 0, 2, 1, 0, 1, 2, 0, 2, 1, 0, 1, 2, 0, 2, 1, 33, 1, 19, 33, 1, 19,
    0, 2, 1, 5, 1, 4, 0, 65439, 1, 0, 65480, 1, 77, 1, 40, 0, 65406, 2, 33, 1, 24, 0, 10795, 1, 0,
    1, 2, 0, 65373, 1, 0, 10792, 3, 0, 1, 2, 0, 65341, 1, 0, 69, 1, 0, 71, 1, 17, 1, 298, 5, 1, 6,
    0, 1, 9, 0, 116, 7, 0, 38, 2, 4, 37, 4, 0, 64, 2, 2, 63, 3, 32, 32, 18, 16, 32, 44, 0, 8, 9, 45,
    1, 28, 0, 65476, 3, 0, 1, 2, 0, 65529, 1, 0, 1, 3, 4, 65406, 3, 30, 80, 16, 62, 32, 80, 65, 1,
    42, 105, 1, 54, 0, 15, 1, 25, 1, 15, 189, 1, 97, 74, 48, 2927, 74, 7264, 39, 0, 7264, 6, 0,
    7264, 723, 158, 38864, 80, 10, 8, 2201, 0, 1, 7, 84, 62528, 45, 4, 62528, 323, 297, 1, 158, 0,
    57921, 2, 189, 1, 104, 14, 65528, 16, 10, 65528, 16, 14, 65528, 16, 14, 65528, 16, 10, 65528,
    17, 13, 65528, 15, 14, 65528, 32, 14, 65528, 16, 14, 65528, 16, 14, 65528, 16, 2, 65528, 2, 2,
    65462, 2, 0, 65527, 12, 6, 65450, 4, 0, 65527, 12, 2, 65528, 2, 2, 65436, 14, 2, 65528, 2, 2,
    65424, 2, 0, 65529, 12, 2, 65408, 2, 2, 65410, 2, 0, 65527, 298, 0, 58019, 4, 0, 57153, 1, 0,
    57274, 7, 0, 28, 46, 30, 16, 35, 0, 1, 819, 50, 26, 1866, 94, 48, 96, 0, 1, 2, 0, 54793, 1, 0,
    61722, 1, 0, 54809, 3, 9, 1, 6, 0, 54756, 1, 0, 54787, 1, 0, 54753, 1, 0, 54754, 2, 0, 1, 3, 0,
    1, 9, 2, 54721, 2, 197, 1, 107, 5, 1, 7, 0, 1, 31054, 89, 1, 64, 53, 1, 162, 25, 1, 16, 121, 1,
    71, 5, 1, 4, 0, 30204, 1, 17, 1, 13, 0, 1, 2, 0, 23256, 3, 5, 1, 6, 37, 1, 20, 0, 23228, 1, 0,
    23217, 1, 0, 23221, 1, 0, 23231, 1, 0, 23228, 2, 0, 23278, 1, 0, 23254, 1, 0, 23275, 1, 0, 928,
    1, 29, 1, 16, 0, 65488, 1, 0, 23229, 1, 0, 30152, 1, 5, 1, 4, 0, 23193, 1, 29, 1, 16, 0, 22975,
    25, 0, 1, 22316, 50, 32, 1247, 78, 40, 176, 70, 40, 192, 20, 39, 12, 28, 39, 16, 12, 39, 8, 2,
    39, 1772, 100, 64, 208, 42, 32, 2896, 62, 32, 21920, 62, 32, 96, 48, 27, 31328, 66, 34,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_the_small_letter_that_unicode_gives_it() {
        // Beyond these two planes no character has a case.
        for c in '\0'..='\u{1ffff}' {
            let mut all = c.to_lowercase();
            let expected = match (all.next(), all.next()) {
                (Some(small), None) => small,
                _ => c,
            };
            assert_eq!(lower(c), expected, "{c:?}");
        }
    }
}
