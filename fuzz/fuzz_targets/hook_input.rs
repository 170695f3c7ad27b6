//! Any bytes on standard input: the whole engine, on a project of the built-in workflows.

#![no_main]

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use holdpoint::engine::leftovers::Leftovers;
use holdpoint::engine::{Call, answer};
use holdpoint::hook::input::Input;
use holdpoint::hook::options::Options;
use libfuzzer_sys::fuzz_target;

const STATE: &str = r#"{"active_workflow": {"current_phase": "06-implementation", "phases": ["06-implementation"]},
    "phases": {"06-implementation": {"status": "pending"}}}"#;

static HOME: LazyLock<PathBuf> = LazyLock::new(|| {
    let home = tempfile::Builder::new().prefix("holdpoint-fuzz-").tempdir().unwrap().keep();
    std::fs::create_dir(home.join(".isdlc")).unwrap();
    std::fs::write(home.join(".isdlc/state.json"), STATE).unwrap();
    // A journal that cannot be written: the disk is not what is looked at here.
    std::fs::write(home.join(".holdpoint"), "").unwrap();
    home
});

fuzz_target!(|bytes: &[u8]| {
    let options = Options::default();
    let env = Arc::new(holdpoint::env::FixedEnv::default());
    let (input, leftovers) = (Input::Whole(bytes.to_vec()), Leftovers::default());
    let reply = answer(&Call { input, options: &options, cwd: &HOME, env, leftovers });
    if !reply.stdout.is_empty() {
        let said: serde_json::Value = serde_json::from_str(&reply.stdout).unwrap();
        assert!(said.is_object());
    }
});
