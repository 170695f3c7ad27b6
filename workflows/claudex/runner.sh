{%- set mode = 'review' if state.mode == 'review' else 'plan' -%}
{%- set name = 'Codex' if command[0] == 'codex' else command[0] -%}
{%- set said = 'Running ' ~ name ~ ' (mode=' ~ mode ~ ', round=' ~ round ~ ', persona: ' ~ persona.label ~ ')...' -%}
{%- set report = run.home ~ '/' ~ (review_file if mode == 'review' else findings_file) -%}
{%- set end = prompt | unlike('PROMPTEOF') -%}
#!/usr/bin/env bash
# Claudex loop {{ run.id }}, mode {{ mode }}, round {{ round }}
# Persona: {{ persona.label }}
#
# Written by holdpoint for this round: it hands the prompt below to the reviewer. Written anew for the next one.

set +e

ROOT={{ run.home | quoted }}
PROMPT_FILE={{ (run.home ~ '/' ~ base ~ '-prompt.txt') | quoted }}
REPORT={{ report | quoted }}
AGAIN={{ ('bash ' ~ ((run.home ~ '/' ~ runner) | quoted)) | quoted }}
REVIEWER=({% for word in command %}{{ ' ' if not loop.first }}{{ word if '^[a-z0-9_./-]+$' is found_in(word) else word | quoted }}{% endfor %})

fail() {
    echo "[claudex] Nothing was reviewed: $1, then run: $AGAIN" >&2
    exit 1
}

cd -- "$ROOT" || fail "the project's folder $ROOT cannot be entered. Look at its permissions"
command -v -- "${REVIEWER[0]}" >/dev/null ||
    fail "${REVIEWER[0]} is not on the PATH. Install it{% if command[0] == 'codex' %} (npm install -g @openai/codex), sign in (codex login){% endif %}"
mkdir -p -- "${REPORT%/*}" || fail "the folder of $REPORT cannot be made. Look at its permissions"

# Between quoted delimiters the shell expands nothing.
cat >"$PROMPT_FILE" <<'{{ end }}' || fail "$PROMPT_FILE cannot be written. Look at its permissions"
{{ prompt }}
{{ end }}

echo {{ ('[claudex] ' ~ said) | quoted }}
# Hooks of holdpoint answer nothing in a reviewer: its turns are not the loop's.
HOLDPOINT_REVIEWER={{ (run.home ~ '/' ~ runner) | quoted }} "${REVIEWER[@]}" <"$PROMPT_FILE"
status=$?

echo {{ ('[claudex] ' ~ name ~ ' exited with status ') | quoted }}"$status."
if [ ! -s "$REPORT" ]; then
    echo "[claudex] It left no findings at $REPORT, so nothing was reviewed. Look at what it said, then run: $AGAIN"
    [ "$status" -ne 0 ] || status=1
elif [ "$status" -ne 0 ]; then
    echo "[claudex] It failed, so $REPORT may be incomplete, or from an earlier try. Look at what it said, then run: $AGAIN"
else
    echo "[claudex] Its findings: $REPORT"
fi
exit "$status"
