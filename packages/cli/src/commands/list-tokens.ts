import type { TrainerNumber } from "@liverl/contract/trained-view";
import { TOKEN_PAGE } from "@liverl/contract/turn-view";
import type { Cli } from "#cli.ts";
import { formatTable } from "#output/format-table.ts";
import { number } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

/** One token with all that is known of it. Log-probs and entropy in nats; null for what nobody told. */
interface Token {
  position: number;
  id: number;
  text: string;
  mask: 0 | 1;
  logprob: number | null;
  version: number | null;
  trainerLogprob: TrainerNumber;
  entropy: TrainerNumber;
  ratio: TrainerNumber;
  clipped: boolean | null;
  advantage: TrainerNumber;
  value: TrainerNumber;
}

/** Tokens of a segment from a position on: how they were sampled, and what the update that took them computed. */
export async function listTokens(
  { api }: Cli,
  rolloutId: string,
  { segment: segmentId, from, limit }: { segment?: number; from: number; limit: number },
): Promise<Result> {
  const tokens: Token[] = [];
  const end = from + limit;
  for (let at = from; at < end; at += TOKEN_PAGE) {
    const of = { rolloutId, segmentId, from: at };
    const size = Math.min(TOKEN_PAGE, end - at);
    const page = await api.get("trajectory.tokens", of);
    const trained = await api.get("trajectory.trained", { ...of, size });
    const ids = page.ids.slice(0, size);
    tokens.push(
      ...ids.map(
        (id, i): Token => ({
          ...{ position: at + i, id, text: page.text[i] ?? "", mask: page.mask[i] ?? 0 },
          ...{ logprob: page.logprobs[i] ?? null, version: page.versions[i] ?? null },
          ...{ trainerLogprob: trained.trainerLogprobs[i] ?? null },
          ...{ entropy: trained.entropies[i] ?? null, ratio: trained.ratios[i] ?? null },
          ...{ clipped: trained.clipped[i] ?? null, advantage: trained.advantages[i] ?? null },
          value: trained.values?.[i] ?? null,
        }),
      ),
    );
    if (page.ids.length < TOKEN_PAGE) break;
  }
  return { answer: { rolloutId, tokens }, lines: describe(tokens) };
}

function describe(tokens: readonly Token[]): string[] {
  const told = (value: TrainerNumber) => (typeof value === "string" ? value : number(value));
  return formatTable(tokens, [
    { title: "POSITION", of: ({ position }) => position, right: true },
    { title: "ID", of: ({ id }) => id, right: true },
    { title: "TOKEN", of: ({ text }) => JSON.stringify(text) },
    { title: "MASK", of: ({ mask }) => mask, right: true },
    { title: "LOG-PROB", of: ({ logprob }) => number(logprob), right: true },
    { title: "VERSION", of: ({ version }) => version, right: true },
    { title: "TRAINER", of: ({ trainerLogprob }) => told(trainerLogprob), right: true },
    { title: "ENTROPY", of: ({ entropy }) => told(entropy), right: true },
    { title: "RATIO", of: ({ ratio }) => told(ratio), right: true },
    { title: "CLIPPED", of: ({ clipped }) => (clipped ? "yes" : null) },
    { title: "ADVANTAGE", of: ({ advantage }) => told(advantage), right: true },
    { title: "VALUE", of: ({ value }) => told(value), right: true },
  ]);
}
