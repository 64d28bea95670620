//! Names and shapes on the wire: addresses, paths, cookies, quota fields, problem documents, pages.
pub mod address;
pub mod path;
pub mod pattern;
pub mod url;
