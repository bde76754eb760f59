import { readFile } from "node:fs/promises";
import { type RolloutRequest, RolloutResult } from "@liverl/contract/rollout";
import type { TrainerPlan } from "@liverl/contract/trainer";
import type { Logger } from "pino";
import { Pool } from "undici";
import { patiently, Refused } from "#trainer/patiently.ts";

const WAIT_S = 25;
const CONNECTIONS = 256;
/** Too slow, too early, too many: a busy machine says these, and the next try may pass. */
const PASSING = new Set([408, 425, 429]);

/** Gets rollouts from the runner. Ids are the caller's, so asking again never makes a second rollout. */
export class RolloutClient {
  readonly #pool: Pool;
  readonly #tokenPath: string;
  readonly #log: Logger;

  constructor(runner: TrainerPlan["runner"], log: Logger) {
    this.#pool = new Pool(runner.url, {
      connections: CONNECTIONS,
      headersTimeout: 2 * WAIT_S * 1000,
      bodyTimeout: 2 * WAIT_S * 1000,
    });
    this.#tokenPath = runner.tokenPath;
    this.#log = log;
  }

  /** Results in the order of the requests. Rejects once `signal` fires: nobody asks for them any more. */
  async runAll(
    requests: readonly RolloutRequest[],
    signal?: AbortSignal,
  ): Promise<RolloutResult[]> {
    const token = (await readFile(this.#tokenPath, "utf8")).trim();
    return Promise.all(
      requests.map((request) =>
        patiently(`rollout ${request.rolloutId}`, this.#log, () =>
          this.#untilDone(request, token, signal).catch((error: unknown) => {
            throw signal?.aborted ? new Refused("nobody asks for it any more") : error;
          }),
        ),
      ),
    );
  }

  /**
   * What an earlier life of the trainer left unfinished is cancelled, and taken anew when it is asked for again: it was
   * to be sampled from other weights than the engines are about to get.
   */
  async cancelUnfinished(runId: string): Promise<void> {
    const token = (await readFile(this.#tokenPath, "utf8")).trim();
    await patiently(`cancelling the unfinished rollouts of ${runId}`, this.#log, async () => {
      const answer = await this.#pool.request({
        method: "DELETE",
        path: `/api/v1/runs/${runId}/trials`,
        headers: { authorization: `Bearer ${token}` },
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw failureOf(answer.statusCode, text);
    });
  }

  async #untilDone(
    request: RolloutRequest,
    token: string,
    signal?: AbortSignal,
  ): Promise<RolloutResult> {
    const body = JSON.stringify(request);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    for (;;) {
      const answer = await this.#pool.request({
        method: "POST",
        path: `/api/v1/rollouts?wait=${WAIT_S}`,
        headers,
        body,
        // One of its own: hundreds that wait at once would each hang a listener on the caller's.
        signal: signal && AbortSignal.any([signal]),
      });
      const text = await answer.body.text();
      if (answer.statusCode === 202) continue;
      if (answer.statusCode === 200) return RolloutResult.parse(JSON.parse(text));
      throw failureOf(answer.statusCode, text);
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

function failureOf(status: number, text: string): Error {
  const message = `the runner answered ${status}: ${text.slice(0, 500)}`;
  return status >= 400 && status < 500 && !PASSING.has(status)
    ? new Refused(message)
    : new Error(message);
}
