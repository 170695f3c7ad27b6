// One guard as a hook script of its own, in the shape such scripts have: read standard input to its end, parse it, find
// out whom the call is for (state and manifest are read and parsed anew), decide, print. argv[2] says which guard.
const fs = require('fs');
const path = require('path');

const readJson = (root, file) => {
    try { return JSON.parse(fs.readFileSync(path.join(root, file), 'utf8')); } catch { return null; }
};

const readStdin = async () => {
    let text = '';
    for await (const part of process.stdin) text += part;
    return text;
};

// The phase a sub-agent call is for, by the manifest's owner of the agent, or by an agent's name in the text.
function delegationOf(input, manifest) {
    const owners = Object.entries(manifest?.ownership ?? {});
    const called = String(input.tool_input?.subagent_type ?? '').toLowerCase();
    const text = `${input.tool_input?.prompt ?? ''} ${input.tool_input?.description ?? ''}`.toLowerCase();
    if (/\b(setup|configure|install|init)\b/.test(text)) return null;
    const owner = owners.find(([name]) => name === called) ?? owners.find(([name]) => text.includes(name));
    return owner && !['all', 'setup'].includes(owner[1].phase) ? owner[1].phase : null;
}

// Each answers the text it blocks with, or nothing.
const guards = {
    'phase-loop-controller': (input, root, state, phase) => {
        const current = state?.active_workflow?.current_phase;
        const status = state?.phases?.[current]?.status;
        if (phase && current && !['in_progress', 'completed'].includes(status)) return `phase ${phase} is ${status}`;
    },
    'plan-surfacer': (input, root, state, phase) => {
        const current = state?.active_workflow?.current_phase;
        if (phase && current >= '06' && !fs.existsSync(path.join(root, 'docs/isdlc/tasks.md'))) return 'no plan yet';
    },
    'phase-sequence-guard': (input, root, state, phase) => {
        const current = state?.active_workflow?.current_phase;
        if (phase && current && phase !== current) return `out of order: ${phase}, but the work is in ${current}`;
    },
    'branch-guard': (input) => /\bgit\s+commit\b/.test(input.tool_input?.command ?? '') ? 'commit to main' : undefined,
    'state-write-validator': (input, root) => {
        const written = /\.isdlc\/state\.json$/.test(input.tool_input?.file_path ?? '');
        if (written) return Object.keys(readJson(root, '.isdlc/state.json')?.phases ?? {}).join();
    },
    'walkthrough-tracker': (input, root, state) => {
        if (input.tool_result && state?.discovery_context?.walkthrough_completed !== true) return 'no walkthrough';
    },
    'discover-menu-guard': (input) => /\[\d+\]/.test(input.tool_result ?? '') ? 'wrong menu' : undefined,
};

async function main() {
    try {
        const input = JSON.parse(await readStdin());
        const root = process.env.CLAUDE_PROJECT_DIR || input.cwd;
        const manifest = readJson(root, '.claude/hooks/config/skills-manifest.json');
        const state = readJson(root, '.isdlc/state.json');
        const reason = guards[process.argv[2]](input, root, state, delegationOf(input, manifest));
        if (reason) process.stdout.write(JSON.stringify({ continue: false, stopReason: reason }));
    } catch { /* fail open */ }
}

main();
