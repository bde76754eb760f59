import { join } from "node:path";
import type { Client, ClientSetup } from "#reality/agents/clients/client.ts";

const DEFAULT_WINDOW = 100_000;
const INSTRUCTIONS = "You are a coding agent. Use the tools to do what the user asks.\n";

const codexHome = ({ home }: ClientSetup) => join(home, ".codex");

/** The smallest configuration. A model name that it does not know keeps all tools plain functions. */
function config(setup: ClientSetup): string {
  const window = setup.scenario.clientWindow ?? DEFAULT_WINDOW;
  return `model = "liverl-policy"
model_provider = "liverl"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
model_context_window = ${window}
model_auto_compact_token_limit = ${Math.floor(window * 0.8)}
web_search = "disabled"
project_doc_max_bytes = 0
model_instructions_file = "${join(codexHome(setup), "instructions.md")}"
include_permissions_instructions = false
include_apps_instructions = false
[features]
goals = false
plugins = false
remote_plugin = false
apps = false
skill_search = false
view_image = false
shell_snapshot = false
[skills]
bundled = { enabled = false }
[agents]
enabled = false
[analytics]
enabled = false
[model_providers.liverl]
name = "LiveRL"
base_url = "${setup.baseUrl}"
wire_api = "responses"
env_key = "LIVERL_KEY"
`;
}

/** Codex over Responses, the only protocol that it speaks. */
export const CODEX: Client = {
  name: "codex",
  package: "codex",
  scenarios: [
    "tools",
    "thinking",
    "live",
    "qwen3",
    "faults",
    "live faults",
    "compaction",
    "resume",
  ],
  isCompaction: (prompt) =>
    prompt.tools.size === 0 || prompt.last.includes("CONTEXT CHECKPOINT COMPACTION"),
  files: (setup) => ({
    [join(codexHome(setup), "config.toml")]: config(setup),
    [join(codexHome(setup), "instructions.md")]: INSTRUCTIONS,
  }),
  command: (setup) => ({
    argv: [
      ...[process.execPath, setup.program, "exec"],
      ...(setup.turn === 0 ? [] : ["resume", "--last"]),
      ...["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json"],
      setup.prompt,
    ],
    env: { CODEX_HOME: codexHome(setup), LIVERL_KEY: setup.apiKey },
  }),
};
