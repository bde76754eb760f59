import { buildAtif } from "@liverl/contract/build-atif";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { RolloutRow } from "@liverl/contract/views";
import { z } from "zod";
import type { Context } from "#context.ts";
import { parseJson } from "#trajectories/parse-json.ts";
import { TrialFolder } from "#trajectories/trial-folder.ts";

const MAX_BYTES = 64 * 1024 * 1024;
const TrialResult = z.object({
  agent_info: z.object({ name: z.string(), version: z.string().nullish() }),
});

/** A line of ATIF for each rollout that asked a model, one trajectory in memory at a time. */
export async function* writeAtifLines(
  ctx: Pick<Context, "db" | "config">,
  batches: AsyncIterable<readonly RolloutRow[]>,
): AsyncGenerator<string> {
  for await (const rows of batches) {
    const found = await ctx.db.rollout.findMany({
      where: { rolloutId: { in: rows.map((row) => row.rolloutId) } },
      select: { rolloutId: true, directory: true },
    });
    const places = new Map(found.map((row) => [row.rolloutId, row.directory]));
    for (const { rolloutId } of rows) {
      const folder = await TrialFolder.open(ctx.config.dataDir, places.get(rolloutId) ?? null);
      const atif = folder && (await readAtif(folder));
      if (atif !== null) yield `${JSON.stringify(atif)}\n`;
    }
  }
}

/** As the runner wrote it, where it did; else from what the proxy recorded. */
async function readAtif(folder: TrialFolder): Promise<unknown> {
  const written = parseJson(await folder.readWhole("agent/trajectory.json", MAX_BYTES));
  if (typeof written === "object" && written !== null) return written;
  const whole = await folder.readWhole("proxy_trajectory.json", MAX_BYTES);
  const trajectory = ProxyTrajectory.safeParse(parseJson(whole));
  if (!trajectory.success) return null;
  const result = TrialResult.safeParse(parseJson(await folder.readWhole("result.json", MAX_BYTES)));
  const agent = result.data?.agent_info;
  return buildAtif(trajectory.data, {
    name: agent?.name ?? "unknown",
    version: agent?.version ?? "unknown",
  });
}
