//! A world in which one file has the bytes at hand.

use holdpoint_core::world::{Answer, GitQuestion, World};

/// The world of a target: a file's content, and a repository that knows every branch.
pub struct Files(pub Vec<u8>);

impl World for Files {
    fn read(&self, _: &str) -> Answer<Vec<u8>> {
        Answer::Is(self.0.clone())
    }
    fn exists(&self, _: &str) -> Answer<()> {
        Answer::Is(())
    }
    fn env(&self, _: &str) -> Option<String> {
        None
    }
    fn git(&self, _: &str, question: &GitQuestion) -> Answer<String> {
        Answer::Is(match question {
            GitQuestion::Repository => "/r/.git".into(),
            GitQuestion::Branch | GitQuestion::PushTarget => "main".into(),
            GitQuestion::Switch(name) | GitQuestion::Contains(name) => name.clone(),
            GitQuestion::Alias(name) if name == "x" => "!git x; git x && git commit".into(),
            GitQuestion::Alias(_) => return Answer::None,
        })
    }
}
