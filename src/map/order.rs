//! Sorting, with one copy of the code for all types: the standard sorts are some five kilobytes of
//! Wasm for every one of them.

/// Sorts by `is_before`, in place; n log n whatever the input. Equal items end in any order.
pub fn sort_by<T>(items: &mut [T], is_before: impl Fn(&T, &T) -> bool) {
    heapsort(items.len(), &mut |step| match step {
        Step::Compare(one, other) => match (items.get(one), items.get(other)) {
            (Some(one), Some(other)) => is_before(one, other),
            _ => false,
        },
        Step::Swap(one, other) => {
            items.swap(one, other);
            true
        }
    });
}

/// What sorting asks of the list.
#[derive(Clone, Copy)]
enum Step {
    /// Does the first place belong before the second?
    Compare(usize, usize),
    /// Exchange them.
    Swap(usize, usize),
}

#[inline(never)]
fn heapsort(count: usize, list: &mut dyn FnMut(Step) -> bool) {
    for root in (0..count / 2).rev() {
        sink(root, count, list);
    }
    for end in (1..count).rev() {
        list(Step::Swap(0, end));
        sink(0, end, list);
    }
}

/// Lets the item at `root` sink below all of its heap that belong after it.
fn sink(mut root: usize, end: usize, list: &mut dyn FnMut(Step) -> bool) {
    loop {
        let left = root.saturating_mul(2).saturating_add(1);
        let right = left.saturating_add(1);
        if left >= end {
            return;
        }
        let is_right = right < end && list(Step::Compare(left, right));
        let child = if is_right { right } else { left };
        if !list(Step::Compare(root, child)) {
            return;
        }
        list(Step::Swap(root, child));
        root = child;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(mut items in prop::collection::vec(0_u8..20, 0..200)) {
            let mut expected = items.clone();
            expected.sort_unstable();
            sort_by(&mut items, |one, other| one < other);
            prop_assert_eq!(items, expected);
        }
    }
}
