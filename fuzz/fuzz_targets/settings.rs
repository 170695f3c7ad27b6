//! Any text as an agent's settings file: refused, or edited so that a second time changes nothing and our entries can be
//! taken out again.

#![no_main]

use std::path::Path;

use holdpoint::install::host;
use holdpoint::install::ours::Ours;
use holdpoint::install::settings::{register, registered, unregister};
use holdpoint::install::wanted::{Contents, Wanted};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let wanted = Wanted::of(holdpoint::catalog::built_in().iter().map(|built_in| &built_in.workflow));
    for (agent, file) in [("claude", "settings.json"), ("cursor", "hooks.json"), ("codex", "config.toml")] {
        let (host, path) = (host::named(agent).unwrap(), Path::new(file));
        let contents = Contents { entries: wanted.entries(host, "/bin/holdpoint"), extras: Vec::new() };
        let ours = Ours { known: &[], agent: Some(agent) };
        let Ok(edited) = register(path, Some(text), host, &contents, ours) else { continue };
        let again = register(path, Some(&edited.text), host, &contents, ours).unwrap();
        assert_eq!(again.changes, Vec::<String>::new(), "{}", edited.text);
        let all = Ours { known: &[], agent: None };
        if let Some(without) = unregister(path, &edited.text, host.shape, &edited.made, all).unwrap() {
            let left = registered(path, &without, host.shape).unwrap();
            assert!(!left.iter().any(|hook| all.has(&hook.handler)), "{without}");
        }
    }
});
