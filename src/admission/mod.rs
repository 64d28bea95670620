//! One request against the rules.
