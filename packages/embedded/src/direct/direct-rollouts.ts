import { hash32 } from "@liverl/contract/random";
import {
  instructionOf,
  parseRepairRef,
  REPAIR_SYSTEM_PROMPT,
  REPAIR_TOOLS,
  type RepairTask,
} from "@liverl/contract/repair-task";
import type { RolloutRequest, RolloutResult } from "@liverl/contract/rollout";
import type { ChatEncoder } from "#chat/chat-encoder.ts";
import type { EngineCore } from "#engine/core/engine-core.ts";

/** One agent's work on one task. */
export interface Episode {
  readonly turns: number;
  /** Takes the text of an assistant turn; resolves to the tool's answer, or to null when the episode is over. */
  take(text: string): Promise<string | null>;
  /** Verifies what was made and clears up; resolves to the reward. */
  finish(): Promise<number>;
}
export type OpenEpisode = (task: RepairTask, rolloutId: string) => Promise<Episode>;

/** Runs rollouts on an engine in this process: no HTTP, no proxy, no records. The floor that the whole path is measured by. */
export class DirectRollouts {
  constructor(
    readonly core: EngineCore,
    readonly encoder: ChatEncoder,
    readonly eosId: number,
    readonly openEpisode: OpenEpisode,
  ) {}

  async runAll(requests: readonly RolloutRequest[]): Promise<RolloutResult[]> {
    return Promise.all(requests.map((request) => this.#run(request)));
  }

  async #run(request: RolloutRequest): Promise<RolloutResult> {
    const task = parseRepairRef(request.taskRef);
    if (!task) throw new Error(`not a task: ${request.taskRef}`);
    const episode = await this.openEpisode(task, request.rolloutId);
    const messages = [
      { role: "system" as const, content: REPAIR_SYSTEM_PROMPT },
      { role: "user" as const, content: instructionOf(task) },
    ];
    const tokenIds = await this.encoder.encode(messages, REPAIR_TOOLS, true);
    const mask: (0 | 1)[] = tokenIds.map(() => 0);
    const logprobs: (number | null)[] = tokenIds.map(() => null);
    const policyVersions: (number | null)[] = tokenIds.map(() => null);
    const room = this.core.network.config.max_position_embeddings;
    for (;;) {
      const maxTokens = Math.min(request.sampling.max_tokens, room - tokenIds.length);
      if (maxTokens < 1) break;
      const { done } = this.core.submit({
        requestId: `${request.rolloutId}-${episode.turns}`,
        promptIds: tokenIds,
        maxTokens,
        temperature: request.sampling.temperature,
        topP: 1,
        seed: hash32(`${request.rolloutId}|${episode.turns}`),
        stopIds: new Set(),
        eosId: this.eosId,
        cacheSalt: "",
        wantsPromptLogprobs: false,
      });
      const { tokens } = await done;
      for (const token of tokens) {
        tokenIds.push(token.id);
        mask.push(1);
        logprobs.push(token.logprob);
        policyVersions.push(token.version);
      }
      const answer = await episode.take(await this.encoder.decode(tokens.map((token) => token.id)));
      if (answer === null) break;
      // A turn that ran out of tokens is closed for the policy.
      const close = tokens.at(-1)?.id === this.eosId ? [] : [this.eosId];
      for (const id of [...close, ...(await this.encoder.encodeToolAnswer(answer))]) {
        tokenIds.push(id);
        mask.push(0);
        logprobs.push(null);
        policyVersions.push(null);
      }
    }
    const reward = await episode.finish();
    return {
      rolloutId: request.rolloutId,
      sessionId: request.rolloutId,
      attempt: 1,
      status: "succeeded",
      reward,
      termination: "agent-finished",
      error: null,
      turns: episode.turns,
      flags: [],
      segments: [
        {
          ...{ tokenIds, mask, logprobs, policyVersions, reward },
          ...{ credit: null, trainable: true, reason: null },
        },
      ],
      timings: { queueS: 0, setupS: 0, agentS: 0, generateS: 0, toolS: 0, verifyS: 0 },
    };
  }
}
