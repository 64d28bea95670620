//! Near names for misspelt ones.

/// The candidate that `name` was probably meant to be. Only the `weir` command and tests guess: a
/// Worker that carries the guessing would be larger for a policy that the command never saw.
#[must_use]
pub fn near<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    guess(name, candidates)
}

#[cfg(not(target_arch = "wasm32"))]
fn guess<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: String = name.chars().take(64).collect::<String>().to_lowercase();
    let allowed = (name.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&name, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(target_arch = "wasm32")]
fn guess<'a>(_: &str, _: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    None
}
