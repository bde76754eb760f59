import { AGENT_FILES, NO_KEY, programScaffold } from "#scaffolds/harbor/program-scaffold.ts";

const SETTINGS = "settings.json";
/** `CONTEXT_FULL` of python/openhands-sdk/main.py. */
const CONTEXT_FULL = 3;

/** OpenHands with the tools and prompts of its SDK's default agent, without a browser, over OpenAI chat. */
export const openhandsSdk = programScaffold({
  name: "openhands-sdk",
  files: ({ url, model, window }) => ({
    [SETTINGS]: JSON.stringify({
      ...{ url: `${url}/v1`, key: NO_KEY, model, window },
      events: "/logs/agent/openhands",
    }),
  }),
  env: () => ({}),
  command: ({ program }) => `exec ${program} ${AGENT_FILES}/${SETTINGS}`,
  contextFullCode: CONTEXT_FULL,
});
