//! The program. It dispatches `hook` and `statusline` before anything else runs; all other commands go through clap.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let first = args.next();
    if first.as_ref().is_some_and(|first| first == "hook") {
        return holdpoint::hook::main(args);
    }
    // With further arguments it is `--help` or a mistake, which clap handles.
    if first.is_some_and(|first| first == "statusline") && args.next().is_none() {
        return holdpoint::cli::statusline::main();
    }
    holdpoint::cli::main()
}
