import { randomUUID } from "node:crypto";
import { AlertCondition, RULE_PRESETS } from "@liverl/contract/alert";
import type { Context } from "#context.ts";

const ACTOR = "LiveRL";

/**
 * Gives the projects of these runs their default rules, once in the life of a project: a rule that was changed or deleted
 * stays so. Safe to repeat, and to run at the same time elsewhere.
 */
export async function addDefaultRules(
  { db }: Pick<Context, "db">,
  runIds: readonly string[],
): Promise<void> {
  const runs = await db.run.findMany({
    where: { id: { in: [...runIds] }, status: { not: "draft" } },
    distinct: ["project"],
    select: { project: true },
  });
  const projects = runs.map(({ project }) => project);
  const known = await db.alertDefault.count({ where: { project: { in: projects } } });
  if (known === projects.length) return;
  await db.$transaction(async (tx) => {
    const added = await tx.alertDefault.createManyAndReturn({
      data: projects.map((project) => ({ project })),
      skipDuplicates: true,
    });
    await tx.alertRule.createMany({
      data: added.flatMap(({ project }) =>
        RULE_PRESETS.filter(({ isDefault }) => isDefault).map(({ name, level, condition }) => ({
          ...{ id: randomUUID(), project, name, level, actor: ACTOR },
          condition: AlertCondition.parse(condition),
        })),
      ),
    });
  });
}
