import type { Context } from "#context.ts";

/** A name for a new run: `base` without the number that runs get, counted up until the project has no run of it. */
export async function suggestName(
  ctx: Pick<Context, "db">,
  { project, base }: { project: string; base: string },
): Promise<{ name: string }> {
  const stem = base.replace(/-\d+$/, "") || "run";
  const rows = await ctx.db.run.findMany({
    where: { project, name: { startsWith: stem } },
    select: { name: true },
    distinct: ["name"],
  });
  const taken = new Set(rows.map((row) => row.name));
  let name = stem;
  for (let number = 2; taken.has(name); number++) name = `${stem}-v${number}`;
  return { name };
}
