import type { AgentName } from "@liverl/contract/proxy-admin";
import { mini } from "#scaffolds/harbor/mini.ts";
import { nop } from "#scaffolds/harbor/nop.ts";
import { oracle } from "#scaffolds/harbor/oracle.ts";
import type { Scaffold } from "#scaffolds/harbor/scaffold.ts";

const SCAFFOLDS: Record<AgentName, Scaffold> = { mini, oracle, nop };

/** The agent that a run names. */
export const scaffoldOf = (name: AgentName): Scaffold => SCAFFOLDS[name];
