//! How to count: every algorithm under random histories.

mod any_input;
mod back_in_time;
mod governor;
mod history;
mod model;
mod never_more;
mod step_by_step;
