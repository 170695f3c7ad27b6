#!/usr/bin/env bash
# A Stop hook as a script, in the shape such scripts have: jq for each field, find for the files, grep for each name.
# It answers for the newest plan where nothing is due; reviews are no part of it. With the argument `builtin` bash
# compares the names itself, so that no process is started for a file.
set -u

FIELDS='max_reviews current_task phase next_phase phase_iteration review_model consecutive_clean tdd'
NAMES='^(plan|design|tasks)\.md$|^task-[A-Za-z0-9_-]+\.md$|^(plan|design|tasks|all-code)-(post-)?review-[0-9]+\.md$'

quit() { printf '%s\n' "$1"; exit 0; }
like() { printf '%s\n' "$1" | grep -qE -- "$2"; }
[ "${1-}" = builtin ] && like() { [[ $1 =~ $2 ]]; }
fault() { faults="${faults:+$faults; }$1"; }

input=$(cat)
if ! printf '%s' "$input" | jq -e . >/dev/null 2>&1; then
    echo 'Error: Invalid JSON input from hook event' >&2
    exit 2
fi
[ "$(printf '%s' "$input" | jq -r '.stop_hook_active // false')" = true ] && quit '{"suppressOutput": true}'
cwd=$(printf '%s' "$input" | jq -r '.cwd // "."')
cd "$cwd" || exit 2
[ -d .taskie/plans ] || quit '{"suppressOutput": true}'

plan=$(find .taskie/plans -mindepth 2 -maxdepth 2 -type f \( -name '*.md' -o -name state.json \) -printf '%T@ %h\n' |
    sort -rn | head -n 1 | cut -d ' ' -f 2-)
[ -n "$plan" ] || quit '{"suppressOutput": true}'
state=$plan/state.json
faults=

# The state, field by field; a file that cannot be used is worth a warning and no more (rule 8).
declare -A value
if [ -f "$state" ] && jq -e 'type == "object"' "$state" >/dev/null 2>&1; then
    for field in $FIELDS; do
        value[$field]=$(jq -r ".$field" "$state")
    done
    lacks=$(jq -r --arg fields "$FIELDS" '($fields / " ") - keys | join(", ")' "$state")
    [ -z "$lacks" ] || echo "Warning: state.json lacks $lacks" >&2
elif [ -f "$state" ]; then
    echo 'Warning: state.json cannot be read' >&2
fi
case ${value[next_phase]-} in
    plan-review | tasks-review | code-review | all-code-review) quit '{"systemMessage": "A review is due"}' ;;
esac

# 1: the plan itself. 2: every name is a known one. 3: nothing below.
[ -f "$plan/plan.md" ] || fault 'Missing required file: plan.md'
while IFS= read -r name; do
    like "$name" "$NAMES" || fault "Invalid filename: $name"
done < <(find "$plan" -maxdepth 1 -type f -name '*.md' ! -name '.*' -printf '%f\n')
nested=$(find "$plan" -mindepth 2 -type f -name '*.md' ! -name '.*' | head -n 1)
[ -z "$nested" ] || fault "Files found in nested directories: $nested"

# 4: a review needs what it reviews. 5: an answer needs its review.
while IFS= read -r name; do
    if like "$name" '-post-review-[0-9]+\.md$'; then
        review=${name/-post-review-/-review-}
        [ -f "$plan/$review" ] || fault "$name requires $review"
    elif like "$name" '^(plan|design|tasks)-review-'; then
        base=${name%%-*}.md
        [ -f "$plan/$base" ] || fault "$name requires $base"
    fi
done < <(find "$plan" -maxdepth 1 -type f -name '*-review-*.md' ! -name '.*' -printf '%f\n')

# 6: tasks need their table. 7: which is a table and nothing else.
tasks=$(find "$plan" -maxdepth 1 -type f -name 'task-*.md' -printf '%f\n' | grep -cv -- '-review-')
if [ ! -f "$plan/tasks.md" ]; then
    [ "$tasks" -eq 0 ] || fault 'Task files exist but tasks.md is missing'
elif grep -v '^[[:space:]]*$' "$plan/tasks.md" | grep -qvE '^\|.*\|[[:space:]]*$'; then
    fault 'tasks.md contains non-table content'
elif ! grep -q '^|' "$plan/tasks.md"; then
    fault 'tasks.md has no table rows'
fi

name=$(basename "$plan")
[ -z "$faults" ] || quit "$(jq -nc --arg reason "Plan '$name': $faults" '{decision: "block", $reason}')"
told="Plan '$name' structure validated successfully"
quit "$(jq -nc --arg systemMessage "$told" '{$systemMessage, suppressOutput: true}')"
