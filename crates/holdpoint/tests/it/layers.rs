//! Settings and workflows in layers: the organisation's, the user's and the project's. What tries to loosen a layer
//! above it comes first.

mod locks;
mod shown;
mod trust;
mod workflows;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use holdpoint::env_vars::{ORGANISATION, XDG_CONFIG_HOME};

use crate::gate::{GATE, STATE, event};
use crate::project::{Printed, Project, feed};

/// The project's settings.
const OURS: &str = ".holdpoint/holdpoint.toml";

/// A project on a machine that has an organisation's folder and a user's.
struct House {
    project: Project,
    above: tempfile::TempDir,
}

impl House {
    /// A project whose state asks a gate to hold, and no gate.
    fn new() -> House {
        let house = House { project: Project::new(), above: tempfile::tempdir().unwrap() };
        house.project.write(STATE, "{\"locked\": true}");
        house
    }

    /// The organisation's folder.
    fn organisation(&self) -> PathBuf {
        self.above.path().canonicalize().unwrap().join("etc/holdpoint")
    }

    /// The user's folder.
    fn user(&self) -> PathBuf {
        self.above.path().canonicalize().unwrap().join("config/holdpoint")
    }

    /// Settings of the organisation.
    fn orders(&self, text: &str) -> &House {
        put(&self.organisation(), "holdpoint.toml", text);
        self
    }

    /// Settings of the user.
    fn wishes(&self, text: &str) -> &House {
        put(&self.user(), "holdpoint.toml", text);
        self
    }

    /// Settings of the project.
    fn says(&self, text: &str) -> &House {
        self.project.write(OURS, text);
        self
    }

    /// The program in the project, which its user has allowed.
    fn command(&self, args: &[&str]) -> Command {
        self.with_layers(self.project.command(args))
    }

    fn with_layers(&self, mut command: Command) -> Command {
        command.env(ORGANISATION, self.organisation());
        command.env(XDG_CONFIG_HOME, self.user().parent().unwrap());
        command
    }

    fn run(&self, args: &[&str]) -> Printed {
        feed(self.command(args), b"")
    }

    /// An agent's tool call.
    fn hook(&self) -> Printed {
        feed(self.command(&["hook"]), event(&self.project).to_string().as_bytes())
    }

    /// The same, in a project as it came.
    fn stranger_hook(&self) -> Printed {
        let command = self.with_layers(self.project.stranger(&["hook"]));
        feed(command, event(&self.project).to_string().as_bytes())
    }
}

/// Writes a file below a folder, with the modes that an administrator would give it.
fn put(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    chmod(&path, 0o644);
    for up in path.ancestors().skip(1).take_while(|up| up.starts_with(folder)) {
        chmod(up, 0o755);
    }
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// A gate that says this.
fn gate(word: &str) -> String {
    GATE.replace("SHELL {{ tool.command }}", word)
}

/// Writes a gate of this name and word to a layer's folder.
fn put_gate(folder: &Path, name: &str, word: &str) {
    put(folder, &format!("workflows/{name}/workflow.toml"), &gate(word));
}
