//! The tasks that an agent has in the background while it stops, as Claude Code lists them. What wakes the agent by itself
//! makes a Stop a pause; a shell that serves something never does.

use serde_json::Value as Json;

use super::text;

/// A task that is at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The agent's id of it.
    pub id: String,
    /// What it is.
    pub kind: TaskKind,
    /// The command line, of a shell.
    pub command: Option<String>,
}

/// What a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskKind {
    /// A shell command.
    Shell,
    /// A sub-agent or a teammate: it reports when it is done.
    Agent,
    /// A workflow of the client's own.
    Workflow,
    /// Something that is watched: it reports each time, and may never end.
    Monitor,
    /// Anything else.
    Other,
}

impl TaskKind {
    const ALL: [(&'static str, TaskKind); 5] = [
        ("shell", TaskKind::Shell),
        ("subagent", TaskKind::Agent),
        ("teammate", TaskKind::Agent),
        ("workflow", TaskKind::Workflow),
        ("monitor", TaskKind::Monitor),
    ];

    /// Returns whether it wakes the agent by itself, so that the agent has not really stopped.
    pub fn wakes(self) -> bool {
        matches!(self, TaskKind::Agent | TaskKind::Workflow | TaskKind::Monitor)
    }

    /// Returns what it is called.
    pub fn words(self) -> &'static str {
        match self {
            TaskKind::Shell => "a command",
            TaskKind::Agent => "a sub-agent",
            TaskKind::Workflow => "a workflow of the agent's",
            TaskKind::Monitor => "a monitor",
            TaskKind::Other => "a task",
        }
    }
}

/// Lists the tasks that are at work. One that has ended wakes nobody.
pub(super) fn tasks(payload: &Json) -> Vec<Task> {
    let listed = payload.get("background_tasks").and_then(Json::as_array);
    listed.into_iter().flatten().filter(|task| is_at_work(task)).map(task).collect()
}

fn is_at_work(task: &Json) -> bool {
    text(task, "status").is_none_or(|status| matches!(status, "running" | "pending"))
}

fn task(task: &Json) -> Task {
    let named = text(task, "type").unwrap_or_default();
    let kind =
        TaskKind::ALL.iter().find(|(name, _)| *name == named).map_or(TaskKind::Other, |(_, kind)| *kind);
    let id = text(task, "id").unwrap_or_default().to_owned();
    Task { id, kind, command: text(task, "command").map(str::to_owned) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_tasks_at_work_that_report_wake_the_agent() {
        for (listed, expect) in [
            (json!([{"id": "a", "type": "subagent", "status": "running"}]), true),
            (json!([{"id": "a", "type": "workflow", "status": "pending"}]), true),
            (json!([{"id": "a", "type": "monitor", "status": "running"}]), true),
            (json!([{"id": "a", "type": "teammate"}]), true),
            (json!([{"id": "a", "type": "shell", "status": "running", "command": "npm run dev"}]), false),
            (json!([{"id": "a", "type": "subagent", "status": "completed"}]), false),
            (json!([{"id": "a", "status": "running"}]), false),
            (json!(["x", 1, null, [], {}]), false),
            (json!({"a": 1}), false),
            (json!([]), false),
        ] {
            let tasks = tasks(&json!({"background_tasks": listed}));
            assert_eq!(tasks.iter().any(|task| task.kind.wakes()), expect, "{listed}");
        }
    }
}
