import { resolve } from "node:path";
import type { Client } from "#reality/agents/clients/client.ts";

const SCENARIOS = [
  "tools",
  "thinking",
  "live",
  "qwen3",
  "faults",
  "live faults",
  "resume",
  "truncated",
] as const;

const PROGRAMS = [
  { name: "openai node, chat", language: "node", program: "openai-agent.mjs", dialect: "chat" },
  {
    name: "openai node, responses",
    language: "node",
    program: "openai-agent.mjs",
    dialect: "responses",
  },
  {
    name: "anthropic node",
    language: "node",
    program: "anthropic-agent.mjs",
    dialect: "messages",
  },
  {
    name: "openai python, chat",
    language: "python",
    program: "openai_agent.py",
    dialect: "chat",
  },
  {
    name: "openai python, responses",
    language: "python",
    program: "openai_agent.py",
    dialect: "responses",
  },
  {
    name: "anthropic python",
    language: "python",
    program: "anthropic_agent.py",
    dialect: "messages",
  },
] as const;

/** Small agents on the official SDKs: every other call streams. */
export const SDKS: readonly Client[] = PROGRAMS.map(({ name, language, program, dialect }) => ({
  name,
  package: language === "node" ? "node-sdks" : "python-sdks",
  scenarios: SCENARIOS,
  playsAllPrompts: true,
  isCompaction: () => false,
  command: (setup) => ({
    argv: [
      language === "node" ? process.execPath : setup.program,
      resolve("e2e/reality/agents/programs", program),
    ],
    env: {
      AGENT_SDKS: setup.directory,
      AGENT_DIALECT: dialect,
      AGENT_BASE_URL: setup.baseUrl,
      AGENT_API_KEY: setup.apiKey,
      AGENT_MODEL: setup.modelName,
      AGENT_PROMPTS: JSON.stringify(setup.scenario.prompts),
    },
  }),
}));
