"""The projects and events that the benches use: an SDLC project with a state file and a skills manifest, and a plan
with its tasks and reviews."""

import json
from pathlib import Path

PHASES = [
    "01-requirements", "03-architecture", "04-design", "05-test-strategy", "06-implementation",
    "07-testing", "08-code-review", "09-validation", "10-local-testing",
]
AGENTS = {
    "sdlc-orchestrator": "all", "discover-orchestrator": "setup", "architecture-analyzer": "setup",
    "feature-mapper": "setup", "requirements-analyst": "01-requirements", "solution-architect": "03-architecture",
    "system-designer": "04-design", "test-design-engineer": "05-test-strategy",
    "software-developer": "06-implementation", "integration-tester": "07-testing", "qa-engineer": "08-code-review",
    "security-compliance-auditor": "09-validation", "cicd-engineer": "10-cicd",
    "environment-builder": "10-local-testing", "deployment-engineer-staging": "11-test-deploy",
    "release-manager": "12-production", "site-reliability-engineer": "13-operations",
}
SKILLS = ["analysis", "planning", "modelling", "review", "reporting", "tracing", "estimation", "validation"]


def state(size):
    """A state file of at least `size` bytes: the work is in implementation, on a branch; a long history fills it."""
    done = PHASES.index("06-implementation")
    phases = {
        phase: {
            "status": "completed" if at < done else "in_progress" if at == done else "pending",
            "constitutional_validation": {"completed": at < done, "iterations_used": 1 if at < done else 0},
            "iteration_requirements": {"test_iteration": {"completed": False, "current_iteration": 0}},
        }
        for at, phase in enumerate(PHASES)
    }
    branch = {"name": "feature/REQ-0042-export", "created_from": "main", "status": "active"}
    whole = {
        "framework_version": "0.1.0",
        "project": {"name": "shop", "description": "a shop with an export", "is_new_project": False},
        "active_workflow": {
            "type": "feature", "description": "export orders as CSV", "phases": PHASES,
            "current_phase": PHASES[done], "current_phase_index": done, "git_branch": branch,
        },
        "phases": phases,
        "history": [],
    }
    number = 0
    while len(pretty(whole)) < size:
        number += 1
        whole["history"].append({
            "timestamp": f"2026-01-{number % 28 + 1:02}T10:{number % 60:02}:00.000Z",
            "agent": list(AGENTS)[number % len(AGENTS)],
            "action": f"finished step {number}: wrote \"docs/step-{number}.md\" and told the orchestrator",
        })
    return pretty(whole)


def manifest(size):
    """A skills manifest of at least `size` bytes: every agent's phase and skills, then the skills by number."""
    ownership = {
        agent: {"agent_id": f"{at:02}", "phase": phase, "skill_count": len(SKILLS),
                "skills": [f"{agent.split('-')[0]}-{skill}" for skill in SKILLS]}
        for at, (agent, phase) in enumerate(AGENTS.items())
    }
    whole = {"version": "2.0.0", "total_skills": 0, "enforcement_mode": "observe", "ownership": ownership,
             "skill_lookup": {}}
    while len(pretty(whole)) < size:
        whole["total_skills"] += 1
        whole["skill_lookup"][f"SKILL-{whole['total_skills']:03}"] = list(AGENTS)[whole["total_skills"] % len(AGENTS)]
    return pretty(whole)


def pretty(value):
    return json.dumps(value, indent=2)


def make(folder, state_size):
    """An SDLC project in `folder`: the plan exists, so that only the order of phases can be wrong."""
    for path, text in {
        ".isdlc/state.json": state(state_size),
        ".claude/hooks/config/skills-manifest.json": manifest(16 * 1024),
        "docs/isdlc/tasks.md": "# Tasks\n\n- [ ] export orders\n",
        "src/orders.rs": "pub fn export() {}\n",
    }.items():
        file = Path(folder) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def make_plan(folder, documents):
    """A plan in order in `folder`: so many documents, every review answered, nothing due. Returns the plan's folder."""
    plan = Path(folder) / ".taskie/plans/export"
    plan.mkdir(parents=True)
    # Two reviews of the plan and of the tasks, two of each task, an answer to each.
    tasks = range(1, (documents - 10) // 5 + 1)
    reviewed = ["plan", "tasks", *(f"task-{task}" for task in tasks)]
    names = ["plan", *(f"task-{task}" for task in tasks)]
    names += [f"{what}-{kind}-{n}" for what in reviewed for kind in ("review", "post-review") for n in (1, 2)]
    for name in names:
        (plan / f"{name}.md").write_text(f"# {name}\n\n## Overview\n\n" + "Orders are exported as CSV.\n" * 30)
    rows = [f"| {task} | done | high | Export column {task} | unit |\n" for task in tasks]
    head = "| Id | Status | Priority | Description | Test strategy |\n|---|---|---|---|---|\n"
    (plan / "tasks.md").write_text(head + "".join(rows))
    (plan / "state.json").write_text(pretty({
        "max_reviews": 8, "current_task": "1", "phase": "complete", "next_phase": None, "phase_iteration": 2,
        "review_model": "opus", "consecutive_clean": 2, "tdd": False}))
    assert len(list(plan.glob("*.md"))) == documents
    return plan


def event(name, cwd, **fields):
    """An event as Claude Code sends it."""
    common = {
        "session_id": "6f1c2a9e-1111-4c1e-9a65-6dd1f4f0a001",
        "transcript_path": "/home/user/.claude/projects/shop/6f1c2a9e.jsonl",
        "cwd": str(cwd), "permission_mode": "default", "hook_event_name": name,
    }
    return json.dumps(common | fields)


def shell(cwd, command):
    return event("PreToolUse", cwd, tool_name="Bash", tool_use_id="toolu_01",
                 tool_input={"command": command, "description": "Run a command"})


def make_repository(folder, branches):
    """What Holdpoint reads of a repository: its head and its branches."""
    git = Path(folder) / ".git"
    (git / "refs/heads/topic").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    for name in ["main", *(f"topic/{number}" for number in range(branches))]:
        (git / "refs/heads" / name).write_text("5f18d7a9e6ac1021716c2556a4a2733d2d416157\n")


def delegation(cwd):
    """A reviewer is called while the work is still in implementation: held."""
    prompt = "Review the change for REQ-0042 against the design and report every finding with its file and line. " * 4
    return event("PreToolUse", cwd, tool_name="Task", tool_use_id="toolu_01", tool_input={
        "subagent_type": "qa-engineer", "description": "Review the export", "prompt": prompt})


def edited(cwd):
    path = f"{cwd}/src/orders.rs"
    return event("PostToolUse", cwd, tool_name="Edit", tool_use_id="toolu_01",
                 tool_input={"file_path": path, "old_string": "{}", "new_string": "{ todo!() }"},
                 tool_response={"filePath": path, "oldString": "{}", "newString": "{ todo!() }", "userModified": False})


def stop(cwd):
    return event("Stop", cwd, stop_hook_active=False, last_assistant_message="The export is done.")


OWN = """\
about = "Nothing is committed before its release note."

[run]
home = "NOTES.md"

[holds.note-first]
on   = "before shell"
when = "tool.commits_to and not noted"
say  = "NOTES.md is empty."

[let]
noted = "file('NOTES.md').text | trim"
"""


def make_own(folder):
    """A project with a workflow of its own."""
    workflow = Path(folder) / ".holdpoint" / "workflows" / "notes"
    workflow.mkdir(parents=True)
    (workflow / "workflow.toml").write_text(OWN)
    (Path(folder) / "NOTES.md").write_text("Prices are added up.\n")
