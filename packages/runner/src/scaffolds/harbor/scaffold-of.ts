import { type AgentChoice, AgentName } from "@liverl/contract/proxy-admin";
import { claudeCode } from "#scaffolds/harbor/claude-code.ts";
import { codex } from "#scaffolds/harbor/codex.ts";
import { hostScaffold } from "#scaffolds/harbor/host-scaffold.ts";
import { mini } from "#scaffolds/harbor/mini.ts";
import { miniSweAgent } from "#scaffolds/harbor/mini-swe-agent.ts";
import { nop } from "#scaffolds/harbor/nop.ts";
import { opencode } from "#scaffolds/harbor/opencode.ts";
import { openhandsSdk } from "#scaffolds/harbor/openhands-sdk.ts";
import { oracle } from "#scaffolds/harbor/oracle.ts";
import type { Scaffold } from "#scaffolds/harbor/scaffold.ts";
import { terminus2 } from "#scaffolds/harbor/terminus-2.ts";

const SCAFFOLDS: Record<AgentName, Scaffold> = {
  mini,
  "claude-code": claudeCode,
  codex,
  opencode,
  "mini-swe-agent": miniSweAgent,
  "openhands-sdk": openhandsSdk,
  "terminus-2": terminus2,
  oracle,
  nop,
};

/** The agent that a run names, or the class of an import path; `mini` where it says nothing. */
export function scaffoldOf(agent: AgentChoice = "mini"): Scaffold {
  const named = AgentName.safeParse(agent);
  return named.success ? SCAFFOLDS[named.data] : hostScaffold(agent, agent);
}
