import { AGENT_FILES, NO_KEY, programScaffold } from "#scaffolds/harbor/program-scaffold.ts";

const HOME = "/logs/agent/codex";
const COMPACT_AT = 0.8;
const INSTRUCTIONS = "You are a coding agent. Use the tools to do what the user asks.\n";

/** The smallest configuration. A model name that it does not know keeps all tools plain functions. */
const config = ({ url, window }: { url: string; window: number }) => `model = "liverl-policy"
model_provider = "liverl"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
model_context_window = ${window}
model_auto_compact_token_limit = ${Math.floor(window * COMPACT_AT)}
web_search = "disabled"
project_doc_max_bytes = 0
model_instructions_file = "${AGENT_FILES}/instructions.md"
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
base_url = "${url}/v1"
wire_api = "responses"
env_key = "LIVERL_KEY"
`;

/** Codex over Responses, the only dialect that it speaks. */
export const codex = programScaffold({
  name: "codex",
  files: (setup) => ({ "config.toml": config(setup), "instructions.md": INSTRUCTIONS }),
  env: () => ({ CODEX_HOME: HOME, LIVERL_KEY: NO_KEY }),
  command: ({ program }) =>
    `mkdir -p ${HOME} && cp ${AGENT_FILES}/config.toml ${HOME}/ && exec ${program} exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox --json -`,
});
