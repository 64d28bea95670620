//! Names and shapes on the wire: addresses, paths, cookies, quota fields, problem documents, pages.
pub mod path;
