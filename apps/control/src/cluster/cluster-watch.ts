import type { ClusterView, EngineView, GpuLane, GpuView, RayView } from "@liverl/contract/cluster";
import { isTerminal, RunStatus } from "@liverl/contract/run";
import { findRayPlaces, type RayOfRuns, rayKey } from "#cluster/find-ray-places.ts";
import { Polled } from "#cluster/polled.ts";
import { readDcgm } from "#cluster/read-dcgm.ts";
import { EngineReader } from "#cluster/read-engines.ts";
import { readGpus } from "#cluster/read-gpus.ts";
import { readHost, readProcesses } from "#cluster/read-processes.ts";
import { readRay } from "#cluster/read-ray.ts";
import type { Config } from "#config.ts";
import type { Context } from "#context.ts";
import { buildRayClient } from "#ray/ray-client.ts";

const EVERY_MS = 5_000;
/** A quarter of an hour. */
const LANE_LENGTH = 180;

/** What LiveRL sees of machines, engines and Ray. Asks while somebody looks, and never else. */
export class ClusterWatch {
  readonly #engines: Polled<EngineView[]>;
  readonly #gpus: Polled<{ lanes: GpuLane[]; warning: string | null }>;
  readonly #rays = new Map<string, Polled<RayView>>();
  readonly #lanes = new Map<string, { atMs: number; value: number | null }[]>();

  constructor({ dataDir, dcgmUrls }: Pick<Config, "dataDir" | "dcgmUrls">) {
    const engines = new EngineReader(dataDir);
    this.#engines = new Polled(EVERY_MS / 2, () => engines.read());
    this.#gpus = new Polled(EVERY_MS, async () => {
      const { gpus, warning } = await (dcgmUrls.length > 0 ? readDcgm(dcgmUrls) : readGpus());
      return { lanes: this.#remember(gpus), warning };
    });
  }

  async view(ctx: Pick<Context, "db" | "config">): Promise<ClusterView> {
    const places = await findRayPlaces(ctx);
    const keys = new Set(places.map(({ place }) => rayKey(place)));
    for (const key of this.#rays.keys()) if (!keys.has(key)) this.#rays.delete(key);
    const [engines, gpus, processes, host, ...rays] = await Promise.all([
      this.#engines.get(),
      this.#gpus.get(),
      readProcesses(ctx.config.processes),
      readHost(ctx.config.dataDir),
      ...places.map(async ({ place, runs }) => ({
        ...(await this.#rayAt(place).get()),
        address: place.address,
        runs,
      })),
    ]);
    const named = (engines.value ?? []).map(({ poolId }) => poolId);
    const found = await ctx.db.run.findMany({
      where: { id: { in: [...new Set(named)] } },
      select: { id: true, name: true, project: true, status: true },
    });
    const runs = found.map(({ status, ...run }) => ({
      ...run,
      hasEnded: isTerminal(RunStatus.parse(status)),
    }));
    return { engines, gpus, rays, processes, runs, host };
  }

  #rayAt(place: RayOfRuns["place"]): Polled<RayView> {
    const known = this.#rays.get(rayKey(place));
    if (known) return known;
    const client = buildRayClient(place);
    const polled = new Polled(EVERY_MS, () => readRay(client));
    this.#rays.set(rayKey(place), polled);
    return polled;
  }

  #remember(gpus: readonly GpuView[]): GpuLane[] {
    const atMs = Date.now();
    return gpus.map((gpu) => {
      const key = `${gpu.host} ${gpu.index}`;
      const seen = [...(this.#lanes.get(key) ?? []), { atMs, value: gpu.utilisation }];
      const kept = seen.filter((one) => one.atMs > atMs - LANE_LENGTH * EVERY_MS);
      this.#lanes.set(key, kept);
      const history = new Array<number | null>(LANE_LENGTH).fill(null);
      for (const one of kept) {
        const back = Math.round((atMs - one.atMs) / EVERY_MS);
        if (back < LANE_LENGTH) history[LANE_LENGTH - 1 - back] = one.value;
      }
      return { ...gpu, history };
    });
  }
}
