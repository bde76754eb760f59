import { AGENT_FILES, NO_KEY, programScaffold } from "#scaffolds/harbor/program-scaffold.ts";

const HOME = "/tmp/liverl-opencode";
const MAX_OUTPUT_TOKENS = 32_000;
const PROMPT = "You are a coding agent. Use the tools to do what the user asks.";

const config = ({ url, window }: { url: string; window: number }) => ({
  autoupdate: false,
  share: "disabled",
  provider: {
    liverl: {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: `${url}/v1`, apiKey: NO_KEY },
      models: {
        policy: {
          limit: { context: window, output: Math.min(MAX_OUTPUT_TOKENS, Math.ceil(window / 4)) },
        },
      },
    },
  },
  model: "liverl/policy",
  small_model: "liverl/policy",
  agent: { title: { disable: true }, build: { prompt: PROMPT } },
  tools: { "*": false, bash: true, read: true, edit: true, write: true },
});

/** OpenCode over OpenAI chat, at its smallest. */
export const opencode = programScaffold({
  name: "opencode",
  files: (setup) => ({ "opencode.json": JSON.stringify(config(setup)) }),
  env: () => ({
    OPENCODE_CONFIG: `${AGENT_FILES}/opencode.json`,
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    XDG_DATA_HOME: `${HOME}/data`,
    XDG_CONFIG_HOME: `${HOME}/config`,
    XDG_STATE_HOME: `${HOME}/state`,
    XDG_CACHE_HOME: `${HOME}/cache`,
  }),
  command: ({ program }) => `exec ${program} run --model liverl/policy`,
});
