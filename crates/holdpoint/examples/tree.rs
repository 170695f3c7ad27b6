//! Prints the id of a working tree: `tree FOLDER [GLOB…]`, the globs being paths that do not count. For `bench/tree.py`.

#![allow(clippy::print_stdout, reason = "printing is all it does")]

use std::path::Path;

use holdpoint::env::ProcessEnv;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let root = args.next().ok_or("usage: tree FOLDER [GLOB…]")?;
    let aside: Vec<String> = args.collect();
    println!("{}", holdpoint::worktree::hash(Path::new(&root), &aside, &ProcessEnv)?);
    Ok(())
}
