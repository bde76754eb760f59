import { AGENT_FILES, NO_KEY, programScaffold } from "#scaffolds/harbor/program-scaffold.ts";

const SETTINGS = "settings.json";
/** `CONTEXT_FULL` of python/mini-swe-agent/main.py. */
const CONTEXT_FULL = 3;

/** mini-swe-agent with its own prompts and its one tool, over OpenAI chat. */
export const miniSweAgent = programScaffold({
  name: "mini-swe-agent",
  files: ({ url, model }) => ({
    [SETTINGS]: JSON.stringify({
      url: `${url}/v1`,
      key: NO_KEY,
      model,
      trajectory: "/logs/agent/mini-swe-agent.trajectory.json",
    }),
  }),
  env: () => ({}),
  command: ({ program }) => `exec ${program} ${AGENT_FILES}/${SETTINGS}`,
  contextFullCode: CONTEXT_FULL,
});
