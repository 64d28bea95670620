//! Names and shapes on the wire: addresses, paths, cookies, quota fields, problem documents, pages.
pub mod accept;
pub mod address;
pub mod cookie;
pub mod media;
pub mod path;
pub mod pattern;
pub mod query;
pub mod url;
