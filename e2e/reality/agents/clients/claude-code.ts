import { hash32 } from "@liverl/contract/random";
import type { Client, ClientSetup } from "#reality/agents/clients/client.ts";

/** As root it refuses to work without permission prompts unless told that it is in a sandbox. */
const QUIET = {
  IS_SANDBOX: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_ERROR_REPORTING: "1",
};
const LEAN = {
  CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: "1",
  CLAUDE_CODE_ATTRIBUTION_HEADER: "0",
  ENABLE_TOOL_SEARCH: "false",
  CLAUDE_CODE_MAX_OUTPUT_TOKENS: "4096",
  CLAUDE_CODE_DISABLE_THINKING: "1",
  CLAUDE_CODE_DISABLE_BUNDLED_SKILLS: "1",
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
  CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: "1",
  CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1",
};
const LEAN_FLAGS = [
  ...["--tools", "Bash,Read,Edit,Write", "--disable-slash-commands", "--strict-mcp-config"],
  ...["--setting-sources", "project"],
];
const DEFAULT_WINDOW = 100_000;

/** The same for each turn of a session, so that a later one resumes it. */
function sessionUuid({ home }: ClientSetup): string {
  const hex = [0, 1, 2, 3]
    .map((i) => hash32(`${home}|${i}`).toString(16).padStart(8, "0"))
    .join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function command(
  setup: ClientSetup,
  { flags, env }: { flags: readonly string[]; env: Record<string, string> },
) {
  const uuid = sessionUuid(setup);
  const session = setup.turn === 0 ? ["--session-id", uuid] : ["--resume", uuid];
  return {
    argv: [
      ...[setup.program, "-p", setup.prompt, "--dangerously-skip-permissions"],
      ...["--model", "liverl-policy", "--output-format", "json", ...session, ...flags],
    ],
    env: {
      ...QUIET,
      ANTHROPIC_BASE_URL: setup.baseUrl.replace(/\/v1$/, ""),
      ANTHROPIC_API_KEY: setup.apiKey,
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(setup.scenario.clientWindow ?? DEFAULT_WINDOW),
      ...env,
    },
  };
}

const claude = (
  name: string,
  scenarios: Client["scenarios"],
  how: { flags: readonly string[]; env: Record<string, string> },
  change: (setup: ClientSetup) => ClientSetup = (setup) => setup,
): Client => ({
  name,
  package: "claude-code",
  scenarios,
  isCompaction: (prompt) => prompt.last.includes("CRITICAL: Respond with TEXT ONLY"),
  command: (setup) => command(change(setup), how),
});

/** Claude Code as it is sent to work: smallest, lean, with all of its tools, and with the key in its URL. */
export const CLAUDE_CODE: readonly Client[] = [
  claude(
    "claude-code --bare",
    [
      "tools",
      "thinking",
      "live",
      "qwen3",
      "faults",
      "live faults",
      "compaction",
      "overflow",
      "truncated",
    ],
    {
      flags: ["--bare"],
      env: LEAN,
    },
  ),
  claude("claude-code lean", ["tools", "thinking", "resume", "compaction"], {
    flags: LEAN_FLAGS,
    env: LEAN,
  }),
  claude("claude-code, all tools", ["subagents", "background"], {
    flags: ["--strict-mcp-config", "--setting-sources", "project"],
    env: { CLAUDE_CODE_ATTRIBUTION_HEADER: "0", ENABLE_TOOL_SEARCH: "false" },
  }),
  claude("claude-code, key in the URL", ["tools"], { flags: ["--bare"], env: LEAN }, (setup) => ({
    ...setup,
    baseUrl: setup.baseUrl.replace(/\/v1$/, `/${setup.apiKey}/v1`),
    // It does not start without one; the proxy must not need it.
    apiKey: "none",
  })),
];
