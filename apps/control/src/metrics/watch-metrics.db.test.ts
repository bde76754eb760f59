import { Random } from "@liverl/contract/random";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readSeries } from "#metrics/read-series.ts";
import { watchMetrics } from "#metrics/watch-metrics.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { until } from "#testing/until.ts";

describe("metric.live", () => {
  let control: TestControl;
  beforeAll(async () => {
    control = await buildTestContext();
  });
  afterAll(() => control.close());

  /** A client as the browser's store is: applies the answer, then frames, and notes every point that it was sent. */
  class Client {
    readonly points = new Map<number, number | null>();
    readonly received: string[] = [];
    cursor = "0";
    #stop = new AbortController();
    #running: Promise<void> = Promise.resolve();

    connect(runId: string) {
      this.#stop = new AbortController();
      const { signal } = this.#stop;
      this.#running = (async () => {
        for await (const [id, frame] of watchMetrics(
          control.ctx,
          { runId, cursor: this.cursor },
          signal,
        )) {
          for (const [i, step] of (frame.series.v?.step ?? []).entries()) {
            const value = frame.series.v?.value[i] ?? null;
            this.points.set(step, value);
            this.received.push(`${step}=${value}`);
          }
          this.cursor = String(id);
          expect(frame.cursor).toBe(this.cursor);
        }
      })();
    }
    async disconnect() {
      this.#stop.abort();
      await this.#running;
    }
  }

  test.each([1, 2])(
    "gives every point once over random disconnects, restarts and rewrites (seed %i)",
    async (seed) => {
      const random = new Random(seed);
      const runId = `watched-${seed}`;
      const truth = new Map<number, number>();
      const client = new Client();
      let step = 0;
      let version = 0;
      const write = async () => {
        const lines = Array.from({ length: 1 + random.below(3) }, () => {
          // Now and then an old step is written again, as a resumed trainer does.
          const at = step > 0 && random.next() < 0.2 ? random.below(step) : step++;
          truth.set(at, ++version);
          return { step: at, wallMs: 0, values: { v: version } };
        });
        await control.ctx.ingest.append(runId, lines);
      };
      await write();
      await until(
        async () =>
          (await readSeries(control.ctx.pool, { runId, keys: ["v"], buckets: 10 })).series.length >
          0,
      );
      const answer = await readSeries(control.ctx.pool, { runId, keys: ["v"], buckets: 4000 });
      client.cursor = answer.cursor;
      for (const [i, at] of (answer.series[0]?.step ?? []).entries())
        client.points.set(at, answer.series[0]?.value[i] ?? null);
      client.connect(runId);
      for (let round = 0; round < 25; round++) {
        const dice = random.next();
        if (dice < 0.7) await write();
        else if (dice < 0.85) {
          await client.disconnect();
          if (random.next() < 0.5) await write();
          client.connect(runId);
        } else {
          await client.disconnect();
          await control.restartIngest();
          client.connect(runId);
        }
      }
      await until(() => [...truth].every(([at, value]) => client.points.get(at) === value));
      await client.disconnect();
      expect(client.points).toEqual(new Map<number, number | null>(truth));
      // Each value is unique, so a repeated pair is a point that was delivered twice.
      expect(new Set(client.received).size).toBe(client.received.length);
    },
  );
});
