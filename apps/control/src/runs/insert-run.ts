import { AppError } from "@liverl/contract/app-error";
import type { Prisma, PrismaClient, Run } from "@liverl/prisma/client";

const COLORS = 8;
const ATTEMPTS = 20;

/** Makes the run as `<name>-<nn>`, the first number that is free, in the next colour. */
export async function insertRun(
  ctx: { db: Pick<PrismaClient, "run"> },
  run: Omit<Prisma.RunCreateInput, "id" | "color">,
): Promise<Run> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const taken = await ctx.db.run.findMany({
      where: { id: { startsWith: `${run.name}-` } },
      select: { id: true },
    });
    const numbers = taken.map(({ id }) => Number(/-(\d+)$/.exec(id)?.[1] ?? 0));
    const number = numbers.reduce((a, b) => Math.max(a, b), 0) + 1;
    const id = `${run.name}-${String(number).padStart(2, "0")}`;
    const color = ((await ctx.db.run.count()) % COLORS) + 1;
    // A launch at the same moment may take the number: then the next one is tried.
    const [made] = await ctx.db.run.createManyAndReturn({
      data: [{ ...run, id, color }],
      skipDuplicates: true,
    });
    if (made) return made;
  }
  throw new AppError("CONFLICT", {
    userMessage: `No free number for a run named ${run.name}: try again.`,
  });
}
