//! The state machine inside one counter object.

pub mod slots;
