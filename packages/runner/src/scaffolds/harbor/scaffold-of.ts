import type { AgentName } from "@liverl/contract/proxy-admin";
import { claudeCode } from "#scaffolds/harbor/claude-code.ts";
import { codex } from "#scaffolds/harbor/codex.ts";
import { mini } from "#scaffolds/harbor/mini.ts";
import { miniSweAgent } from "#scaffolds/harbor/mini-swe-agent.ts";
import { nop } from "#scaffolds/harbor/nop.ts";
import { opencode } from "#scaffolds/harbor/opencode.ts";
import { oracle } from "#scaffolds/harbor/oracle.ts";
import type { Scaffold } from "#scaffolds/harbor/scaffold.ts";

const SCAFFOLDS: Record<AgentName, Scaffold> = {
  mini,
  "claude-code": claudeCode,
  codex,
  opencode,
  "mini-swe-agent": miniSweAgent,
  oracle,
  nop,
};

/** The agent that a run names; `mini` where it names none. */
export const scaffoldOf = (name: AgentName = "mini"): Scaffold => SCAFFOLDS[name];
