import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const PlanHead = z.looseObject({ spec: z.looseObject({ project: z.string() }).optional() });

/** The run with the newest plan.json; null when there is none. */
export async function latestRun(dataDir: string): Promise<string | null> {
  const names = await readdir(join(dataDir, "runs")).catch(() => []);
  const ages = await Promise.all(
    names.map(async (name) => ({
      name,
      at: await stat(join(dataDir, "runs", name, "plan.json")).then(
        (s) => s.mtimeMs,
        () => null,
      ),
    })),
  );
  const planned = ages.filter(({ at }) => at !== null).sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
  return planned[0]?.name ?? null;
}

/** Project folders that may hold the run: the plan's, else every one that has a folder of its name. */
async function projectsOf(dataDir: string, runId: string): Promise<string[]> {
  const text = await readFile(join(dataDir, "runs", runId, "plan.json"), "utf8").catch(() => null);
  const project =
    text === null ? undefined : PlanHead.safeParse(JSON.parse(text)).data?.spec?.project;
  return project === undefined ? subfolders(join(dataDir, "harbor_trials")) : [project];
}

/** Every proxy_trajectory.json that may belong to the run, steps in their order: its trials, and outside agents' sessions. */
export async function* findTrajectories(dataDir: string, runId: string): AsyncGenerator<string> {
  for (const project of await projectsOf(dataDir, runId)) {
    const root = join(dataDir, "harbor_trials", project, runId);
    const steps = (await subfolders(root)).sort((a, b) => stepNumber(a) - stepNumber(b));
    for (const step of steps) yield* trajectoriesIn(join(root, step));
  }
  yield* trajectoriesIn(join(dataDir, "sessions"));
}

async function* trajectoriesIn(folder: string): AsyncGenerator<string> {
  for (const session of (await subfolders(folder)).sort()) {
    const path = join(folder, session, "proxy_trajectory.json");
    if (await stat(path).catch(() => null)) yield path;
  }
}

async function subfolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

function stepNumber(name: string): number {
  return Number(/_(\d+)$/.exec(name)?.[1] ?? Number.MAX_SAFE_INTEGER);
}
