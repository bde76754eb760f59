import { AppError } from "@liverl/contract/app-error";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import type { Context } from "#context.ts";
import { needsSandboxes } from "#launch/check-sandboxes.ts";
import type { Check } from "#launch/preflight-check.ts";
import type { VerlEvidence } from "#launch/verl-evidence/verl-evidence.ts";

/** Agents of Harbor, which its Python has to find; the others are LiveRL's to bring. */
const isOfHarbor = (agent: string) => agent.includes(":") || agent === "terminus-2";

/** Whether the class of an agent of Harbor can be loaded; null for other agents, and where no task needs one. */
export async function checkAgent(
  { runner }: Pick<Context, "runner">,
  spec: VerlSpec,
  evidence: Pick<VerlEvidence, "train" | "val">,
): Promise<Check | null> {
  const { agent } = spec.rollout;
  if (!isOfHarbor(agent) || !needsSandboxes(spec, evidence)) return null;
  const field = "rollout.agent";
  try {
    await runner.checkAgent(agent);
    return {
      status: "pass",
      title: "Agent",
      why: `${agent} can be loaded: a class of Harbor's, in a process beside the trial runner.`,
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === "BAD_REQUEST"
      ? { status: "fail", title: "The agent can not be loaded", why: error.userMessage, field }
      : {
          status: "warn",
          title: "The agent is not known to load",
          why: error.userMessage,
          field,
        };
  }
}
