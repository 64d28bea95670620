//! Weir's own pages, as far as they are decided without the platform: which page a path is, who may
//! see it, what `explain` and `unblock` ask of which object, and what they answer.

pub mod explain;
pub mod gauges;
pub mod key;
pub mod request;
pub mod route;
pub mod status;
pub mod token;
pub mod unblock;

pub use route::{Exists, Page, Routed, route};
