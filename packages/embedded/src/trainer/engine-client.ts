import { readFile } from "node:fs/promises";
import type { TrainerPlan } from "@liverl/contract/trainer";
import type { Logger } from "pino";
import { request } from "undici";
import { patiently } from "#trainer/patiently.ts";

/** Pushes weights to every engine replica of the run; waits for one that restarts. */
export class EngineClient {
  constructor(
    readonly plan: Pick<TrainerPlan, "engines" | "engineKeyPath">,
    readonly log: Logger,
  ) {}

  /** `mode`: what happens to running generations. */
  async updateWeights(path: string, version: number, mode: "abort" | "keep"): Promise<void> {
    const key = (await readFile(this.plan.engineKeyPath, "utf8")).trim();
    const body = JSON.stringify({ update_info: { path, version, mode } });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    await Promise.all(
      this.plan.engines.map(({ url }) =>
        patiently(`update_weights of ${url}`, this.log, async () => {
          const answer = await request(`${url}/update_weights`, { method: "POST", headers, body });
          const text = await answer.body.text();
          if (answer.statusCode !== 200)
            throw new Error(`the engine answered ${answer.statusCode}: ${text.slice(0, 500)}`);
        }),
      ),
    );
  }
}
