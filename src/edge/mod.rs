//! The only code that knows the platform.
