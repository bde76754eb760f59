import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { readJson } from "@liverl/durable/atomic-file";
import { z } from "zod";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";
import type { GateEvidence } from "#launch/verl-evidence/verl-evidence.ts";

const Outcomes = z.record(z.string(), z.object({ reward: z.number().nullable() }));
/** What `npm run gate` writes into `D/gates`. */
const Record = z.object({ at: z.string(), oracle: Outcomes, nop: Outcomes });

/** How the tasks of a folder did with the agents oracle and nop; null where nobody played them here. */
export async function readGate(dataDir: string, folder: string): Promise<GateEvidence | null> {
  const path = await realpath(expandHome(folder)).catch(() => null);
  if (path === null) return null;
  const name = createHash("sha256").update(path).digest("hex").slice(0, 16);
  const found = await readJson(join(dataDir, "gates", `${name}.json`), Record).catch(() => null);
  if (found === null) return null;
  const { oracle, nop, at } = found;
  return {
    at,
    played: Object.keys(oracle).length,
    unsolved: othersThan(oracle, 1),
    rewarded: othersThan(nop, 0),
    failed: Object.keys(oracle).filter((task) => hasNone(oracle, task) || hasNone(nop, task)),
  };
}

const hasNone = (outcomes: z.infer<typeof Outcomes>, task: string) =>
  typeof outcomes[task]?.reward !== "number";

/** Tasks with a reward, and another one. */
const othersThan = (outcomes: z.infer<typeof Outcomes>, wanted: number) =>
  Object.keys(outcomes).filter(
    (task) => !hasNone(outcomes, task) && outcomes[task]?.reward !== wanted,
  );
