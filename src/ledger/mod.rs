//! The state machine inside one counter object.
