//! Properties of whole rooms, through their public interface. One binary, one module a concept.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod admission;
mod homes;
mod limits;
mod replay_pipe;
