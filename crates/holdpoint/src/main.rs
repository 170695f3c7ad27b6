//! The program. It dispatches `hook` and `statusline` before anything else runs, and what a fence and its keeper call; all
//! other commands go through clap.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    if args.next_if(|first| first == "hook").is_some() {
        return holdpoint::hook::main(args);
    }
    if args.next_if(|first| first == "relayed").is_some() {
        return holdpoint::fence::relayed::main(args);
    }
    #[cfg(target_os = "linux")]
    if args.next_if(|first| first == "fenced").is_some() {
        return holdpoint::fence::inside::become_client(args);
    }
    // With further arguments it is `--help` or a mistake, which clap handles.
    if args.peek().is_some_and(|first| first == "statusline") && args.len() == 1 {
        return holdpoint::cli::statusline::main();
    }
    holdpoint::cli::run(args)
}
