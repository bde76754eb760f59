import type { Prompt } from "#reality/agents/engine/prompt.ts";
import type { PackageName } from "#reality/agents/install/packages.ts";
import type { Scenario } from "#reality/agents/scenarios/scenario.ts";

/** What a client is started with. */
export interface ClientSetup {
  /** `<agentUrl>/sess/<id>/v1`. */
  baseUrl: string;
  apiKey: string;
  modelName: string;
  /** A fresh home, all of its own. */
  home: string;
  workspace: string;
  scenario: Scenario;
  /** The user turn to send now, and how many were sent before: those are resumed. */
  prompt: string;
  turn: number;
  directory: string;
  program: string;
}

export interface Client {
  name: string;
  package: PackageName;
  scenarios: readonly Scenario["name"][];
  /** Whether it takes all user turns at once and keeps the session itself. */
  playsAllPrompts?: boolean;
  /** What it ends with when all went well; 0 unless it says otherwise. */
  exitCode?(scenario: Scenario): number;
  /** Whether this prompt asks the model to summarise: in the client's own words. */
  isCompaction(prompt: Prompt): boolean;
  /** Files to write before it starts, by absolute path. */
  files?(setup: ClientSetup): Record<string, string>;
  command(setup: ClientSetup): { argv: string[]; env: Record<string, string> };
}
