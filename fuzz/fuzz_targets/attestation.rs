//! Any bytes as the note of a commit, and as a statement in it.

#![no_main]

use holdpoint::attestation::envelope::Bundle;
use holdpoint::attestation::statement::Statement;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(bundle) = Bundle::read(bytes) {
        assert_eq!(Bundle::read(bundle.to_string().as_bytes()), Ok(bundle.clone()));
        for statement in bundle.envelopes.iter().filter_map(|envelope| envelope.statement().ok()) {
            let _ = Statement::read(&statement);
        }
    }
    let statement = str::from_utf8(bytes).ok().and_then(|text| Statement::read(text).ok());
    if let Some(statement) = statement {
        assert_eq!(Statement::read(&statement.to_json().unwrap()).unwrap(), statement);
    }
});
