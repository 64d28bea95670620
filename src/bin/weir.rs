//! The `weir` command.

use std::process::ExitCode;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    weir::cli::run(&arguments, &mut std::io::stdout(), &mut std::io::stderr()).into()
}

/// Building for the Worker builds every target; the command has nothing to do there.
#[cfg(target_arch = "wasm32")]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
