import { join } from "node:path";
import type { Client, ClientSetup } from "#reality/agents/clients/client.ts";

const DEFAULT_WINDOW = 100_000;
const PROMPT = "You are a coding agent. Use the tools to do what the user asks.";

function config(setup: ClientSetup, npm: string): string {
  const { baseUrl, apiKey, scenario } = setup;
  return JSON.stringify({
    autoupdate: false,
    share: "disabled",
    provider: {
      liverl: {
        npm,
        options: { baseURL: baseUrl, apiKey },
        models: {
          policy: { limit: { context: scenario.clientWindow ?? DEFAULT_WINDOW, output: 4096 } },
        },
      },
    },
    model: "liverl/policy",
    small_model: "liverl/policy",
    agent: { title: { disable: true }, build: { prompt: PROMPT } },
    tools: { "*": false, bash: true, read: true, edit: true, write: true },
  });
}

const opencode = (name: string, npm: string, scenarios: Client["scenarios"]): Client => ({
  name,
  package: "opencode",
  scenarios,
  // It goes on after a refusal for length, and ends with 1 because there was one.
  exitCode: (scenario) => (scenario.name === "overflow" ? 1 : 0),
  isCompaction: (prompt) => prompt.tools.size === 0,
  files: (setup) => ({ [join(setup.workspace, "opencode.json")]: config(setup, npm) }),
  command: ({ program, prompt, turn }) => ({
    argv: [
      ...[program, "run", "--model", "liverl/policy"],
      ...(turn === 0 ? [] : ["--continue"]),
      prompt,
    ],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    },
  }),
});

/** OpenCode at its smallest; one program that drives all three protocols. */
export const OPENCODE: readonly Client[] = [
  // Not "live faults": it keeps what it saw of a cut answer as a turn of its own beside the repeated one.
  opencode("opencode", "@ai-sdk/openai-compatible", [
    "tools",
    "thinking",
    "live",
    "qwen3",
    "faults",
    "compaction",
    "overflow",
    "resume",
    "truncated",
  ]),
  opencode("opencode, anthropic", "@ai-sdk/anthropic", ["tools", "thinking"]),
  opencode("opencode, responses", "@ai-sdk/openai", ["tools", "thinking"]),
];
