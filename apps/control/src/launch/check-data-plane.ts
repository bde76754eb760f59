import type { Context } from "#context.ts";
import type { Check } from "#launch/preflight-check.ts";

/** Whether trial runner and proxy answer: no rollout goes without them. */
export async function checkDataPlane({ runner }: Pick<Context, "runner">): Promise<Check> {
  const health = await runner.health().catch(() => null);
  if (!health)
    return {
      status: "fail",
      title: "Trial runner is not answering",
      why: "It restarts by itself within seconds; its log has the reason if it stays away.",
    };
  if (health.proxy === "down")
    return {
      status: "fail",
      title: "Proxy is down",
      why: "The runner restarts it within seconds; its log has the reason if it stays away.",
    };
  return {
    status: "pass",
    title: "Data plane is up",
    why: "The trial runner and its proxy answer.",
  };
}
