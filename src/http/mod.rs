//! Names and shapes on the wire: addresses, paths, cookies, quota fields, problem documents, pages.
pub mod accept;
pub mod address;
pub mod cookie;
pub mod draft6;
pub mod draft8;
pub mod fields;
pub mod media;
pub mod path;
pub mod pattern;
pub mod query;
pub mod retry_after;
pub mod triple;
pub mod url;
pub mod x_ratelimit;
