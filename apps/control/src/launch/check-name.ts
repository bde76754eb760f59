import type { LaunchSpec } from "@liverl/contract/launch";
import type { Context } from "#context.ts";
import type { Check } from "#launch/preflight-check.ts";

/** Whether another project's runs have this name. */
export async function checkName(
  { db }: Pick<Context, "db">,
  spec: Pick<LaunchSpec, "name" | "project">,
): Promise<Check> {
  const same = await db.run.count({ where: { name: spec.name, project: { not: spec.project } } });
  if (same > 0)
    return {
      status: "warn",
      title: "Name is used in another project",
      why: `${same} ${same === 1 ? "run" : "runs"} elsewhere have this name; the numbers behind it are shared.`,
      field: "name",
    };
  const before = await db.run.count({ where: { name: spec.name } });
  return {
    status: "pass",
    title: "Name",
    why:
      before === 0
        ? "No run has this name yet."
        : `${before} earlier ${before === 1 ? "run has" : "runs have"} this name; this one gets the next number.`,
    field: "name",
  };
}
