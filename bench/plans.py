"""Whether a Stop hook really validates a plan: one in order passes, one that breaks a rule does not."""

import projects


def require_judgement(name, answer, folder):
    """Asks `answer` (a Stop event in, a finished process out) about small plans, one in order and one for each rule."""
    judged = ask(answer, folder / "in-order", lambda plan: None)
    assert "validated" in judged.stdout and not judged.stderr, f"{name} does not accept a plan in order: {judged}"
    for rule, (breaks, expected) in BREAKS.items():
        judged = ask(answer, folder / rule, breaks)
        blocks = '"decision":"block"' in judged.stdout and expected in judged.stdout
        assert blocks, f"{name} does not block {rule}: {judged}"
    for rule, text in {"no-json": "{", "no-tdd": '{"max_reviews": 8}'}.items():
        judged = ask(answer, folder / rule, lambda plan: (plan / "state.json").write_text(text))
        warns = "Warning: " in judged.stderr and "validated" in judged.stdout
        assert warns, f"{name} does not warn of {rule}: {judged}"


def ask(answer, folder, breaks):
    breaks(projects.make_plan(folder, 15))
    return answer(projects.stop(folder))


def write(path, text="# Text\n"):
    def breaks(plan):
        (plan / path).parent.mkdir(exist_ok=True)
        (plan / path).write_text(text)
    return breaks


def remove(path):
    return lambda plan: (plan / path).unlink()


# Each rule with what breaks it, and a part of what must be said.
BREAKS = {
    "1-no-plan": (remove("plan.md"), "Missing required file: plan.md"),
    "2-odd-name": (write("notes.md"), "Invalid filename: notes.md"),
    "3-nested": (write("below/task-1.md"), "Files found in nested directories"),
    "4-review-of-nothing": (write("design-review-1.md"), "design-review-1.md requires design.md"),
    "5-answer-to-nothing": (remove("task-1-review-2.md"), "task-1-post-review-2.md requires task-1-review-2.md"),
    "6-no-table": (remove("tasks.md"), "tasks.md"),
    "7-prose": (write("tasks.md", "| Id |\n|---|\n| 1 |\n\nand so on\n"), "tasks.md contains non-table content"),
    "7-empty": (write("tasks.md", "\n"), "tasks.md has no table rows"),
}
