//! Where an object for one continent is best made.

/// The platform's location hint for a continent's two letters; empty where it has none, and then
/// the object is made near its first caller.
#[must_use]
pub fn location_hint(continent: &str) -> &'static str {
    match continent {
        "AF" => "afr",
        "AS" => "apac",
        "EU" => "weur",
        "NA" => "enam",
        "OC" => "oc",
        "SA" => "sam",
        _ => "",
    }
}
