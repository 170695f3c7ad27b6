//! The program: `hook` is dispatched before anything else is touched, all other commands go through clap.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|first| first == "hook") {
        return holdpoint::hook::main(args);
    }
    holdpoint::cli::main()
}
