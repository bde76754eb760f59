import { NO_KEY, programScaffold } from "#scaffolds/harbor/program-scaffold.ts";

const MAX_OUTPUT_TOKENS = 32_000;

/** Claude Code with four tools, nothing of its own on the wire but the task, and no word to anybody else. */
export const claudeCode = programScaffold({
  name: "claude-code",
  files: () => ({}),
  env: ({ url, model, window }) => ({
    // As root it refuses to work without permission prompts unless told that it is in a sandbox.
    IS_SANDBOX: "1",
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: NO_KEY,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_SMALL_FAST_MODEL: model,
    CLAUDE_CONFIG_DIR: "/logs/agent/sessions",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: "1",
    CLAUDE_CODE_ATTRIBUTION_HEADER: "0",
    ENABLE_TOOL_SEARCH: "false",
    // Of an unknown model it takes a million.
    CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(window),
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(Math.min(MAX_OUTPUT_TOKENS, Math.ceil(window / 4))),
    CLAUDE_CODE_DISABLE_THINKING: "1",
    CLAUDE_CODE_DISABLE_BUNDLED_SKILLS: "1",
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
    CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: "1",
    CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1",
  }),
  command: ({ program }) =>
    `exec ${program} -p --bare --dangerously-skip-permissions --strict-mcp-config --setting-sources project --output-format stream-json --verbose`,
});
