import { writeFile } from "node:fs/promises";
import type { EngineLogRecord, GenerateRequest } from "@liverl/contract/engine-api";
import { hash32, Random } from "@liverl/contract/random";
import { EngineStandIn, type ScriptedTurn } from "@liverl/proxy/testing/engine-stand-in";
import { Conversation, type Role } from "#reality/agents/engine/conversation.ts";
import { Prompt } from "#reality/agents/engine/prompt.ts";
import { TextSampler } from "#reality/agents/engine/sample-text.ts";
import type { Vocabulary } from "#reality/agents/engine/vocabulary.ts";
import { type Scenario, SUBTASK, SUMMARY } from "#reality/agents/scenarios/scenario.ts";
import { Toolbox } from "#reality/agents/scenarios/toolbox.ts";
import { say, think } from "#reality/agents/scenarios/turn.ts";

const TOKENS_PER_CHUNK = 24;

/** One line of the engine's log. `role` is what the engine took the request for, from its prompt alone. */
export type AgentLogRecord = EngineLogRecord & {
  role: Role;
  /** Whether the client's side closed the connection before the end. */
  disconnected: boolean;
};

/**
 * An engine behind the token API that says what a scenario wants, split into tokens at random. It reads ids, keeps
 * its own log and knows nothing of the proxy.
 */
export class ScriptedEngine {
  readonly #standIn: EngineStandIn;
  readonly #answered: { role: Role; turn: ScriptedTurn }[] = [];
  readonly #conversations: Conversation[] = [];
  #version = 1;
  #compactions = 0;
  #failure: Error | null = null;

  private constructor(standIn: EngineStandIn) {
    this.#standIn = standIn;
  }

  static async start({
    vocabulary,
    scenario,
    workspace,
    isCompaction,
    seed,
  }: {
    vocabulary: Vocabulary;
    scenario: Scenario;
    workspace: string;
    isCompaction(prompt: Prompt): boolean;
    seed: string;
  }): Promise<ScriptedEngine> {
    const sampler = new TextSampler(vocabulary);
    const standIn = await EngineStandIn.start(() => ({ ids: [], status: 500 }));
    const engine = new ScriptedEngine(standIn);
    const begin = (role: Role, prompt: Prompt): Conversation => {
      const random = new Random(hash32(`${seed}|${role}|${engine.#conversations.length}`));
      let newest = prompt;
      const scene = {
        workspace,
        random,
        tools: () => new Toolbox(newest, random),
        compactions: () => engine.#compactions,
      };
      const script = role === "subagent" ? scenario.subagent?.(scene) : scenario.main(scene);
      if (!script) throw new Error(`${scenario.name} has no script for a subagent`);
      const conversation = new Conversation({
        role,
        script,
        sample: (turn) => sampler.sample(turn.pieces, random),
        onPrompt: (next) => {
          newest = next;
        },
      });
      engine.#conversations.push(conversation);
      return conversation;
    };
    const answer = (request: GenerateRequest, index: number): ScriptedTurn => {
      const prompt = new Prompt(request.token_ids, vocabulary);
      const random = new Random(hash32(`${seed}|${index}`));
      if (isCompaction(prompt)) {
        engine.#compactions += 1;
        const text = `${SUMMARY} ${engine.#compactions}: the task goes on as the user asked; files are in place.\n`;
        const summary = say(think("A summary."), `<summary>\n${text}</summary>`);
        return engine.#note("compaction", random, { ids: sampler.sample(summary.pieces, random) });
      }
      const role = prompt.firstUser.includes(SUBTASK) ? "subagent" : "main";
      const known = engine.#conversations.filter((conversation) => conversation.role === role);
      const conversation =
        (role === "main" ? known[0] : known.findLast((one) => one.isExtendedBy(prompt.ids))) ??
        begin(role, prompt);
      const turn = engine.#note(role, random, conversation.answer(prompt));
      if (turn.finish === "abort") engine.#version += 1;
      return turn;
    };
    standIn.script = (request, index) => {
      try {
        return answer(request, index);
      } catch (error) {
        engine.#failure ??= error instanceof Error ? error : new Error(String(error));
        // Refused for good: the client ends at once and the row says why.
        return engine.#note("main", new Random(0), { ids: [], status: 400 });
      }
    };
    return engine;
  }

  get url(): string {
    return this.#standIn.url;
  }

  get compactions(): number {
    return this.#compactions;
  }

  /** Why the script could not go on, or what of it was not reached. */
  get unfinished(): string | null {
    if (this.#failure) return this.#failure.message;
    const left = this.#conversations.filter((conversation) => !conversation.isOver);
    if (this.#conversations.length === 0) return "the client never asked the model";
    return left.length > 0 ? `${left.length} scripts were not played to their end` : null;
  }

  /** What was sent so far: requests that got no token are left out. */
  get records(): AgentLogRecord[] {
    return this.#standIn.seen.flatMap((seen, i) => {
      const answered = this.#answered[i];
      if (!answered || answered.turn.status !== undefined || seen.sent.length === 0) return [];
      const { role, turn } = answered;
      const count = seen.sent.length;
      const broken = turn.dieAfterChunks !== undefined;
      return {
        requestId: seen.request.request_id ?? "",
        promptIds: seen.request.token_ids,
        ids: seen.sent,
        logprobs: (turn.logprobs ?? []).slice(0, count).map((logprob) => logprob ?? Number.NaN),
        versions: (turn.versions ?? []).slice(0, count).map(Number),
        finishReason: broken ? "broken" : seen.aborted ? "abort" : (turn.finish ?? "stop"),
        at: new Date().toISOString(),
        role,
        disconnected: seen.disconnected || seen.aborted,
      };
    });
  }

  async writeLog(path: string): Promise<void> {
    const lines = this.records.map((record) => `${JSON.stringify(record)}\n`);
    await writeFile(path, lines.join(""));
  }

  stop(): Promise<void> {
    return this.#standIn.stop();
  }

  /** Log-probs and versions of its own for every token: some turns see new weights arrive between two tokens. */
  #note(role: Role, random: Random, turn: ScriptedTurn): ScriptedTurn {
    const changesAt = random.below(4) === 0 ? random.below(turn.ids.length + 1) : Infinity;
    const first = this.#version;
    if (changesAt < turn.ids.length) this.#version += 1;
    const noted = {
      idsPerChunk: TOKENS_PER_CHUNK,
      logprobs: turn.ids.map(() => Math.log(random.next() + 1e-6)),
      versions: turn.ids.map((_, i) => String(i < changesAt ? first : first + 1)),
      ...turn,
    };
    this.#answered.push({ role, turn: noted });
    return noted;
  }
}
