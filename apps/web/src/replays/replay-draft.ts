import { type OfTurn, type ReplayChoices, StartReplay } from "@liverl/contract/replay";

const KINDS = ["checkpoint", "live", "engine"] as const;

/** What a person has chosen so far; numbers as they are typed. */
export interface ReplayDraft {
  kind: (typeof KINDS)[number];
  /** `<run>/<step>` of a checkpoint. */
  checkpoint: string;
  url: string;
  api: "vllm" | "sglang";
  n: string;
  temperature: string;
  topP: string;
  maxTokens: string;
}

export const checkpointKey = (one: { runId: string; step: number }) => `${one.runId}/${one.step}`;

/** The newest checkpoint, and all else as the original was sampled. */
export function firstDraft({ checkpoints, sampling }: ReplayChoices): ReplayDraft {
  const [newest] = checkpoints;
  return {
    kind: newest ? "checkpoint" : "live",
    checkpoint: newest ? checkpointKey(newest) : "",
    ...{ url: "", api: "vllm", n: "4" },
    temperature: String(sampling.temperature),
    topP: String(sampling.top_p),
    maxTokens: String(sampling.max_tokens),
  };
}

/** The draft as a request, or its faults by field. What was not changed is left to the server. */
export function readDraft(
  draft: ReplayDraft,
  of: OfTurn & { runId: string },
  { sampling }: Pick<ReplayChoices, "sampling">,
): { input: StartReplay } | { faults: Record<string, string> } {
  const { runId, ...turn } = of;
  const number = (text: string, unless?: number) =>
    text.trim() === "" ? Number.NaN : Number(text) === unless ? undefined : Number(text);
  const parsed = StartReplay.safeParse({
    ...turn,
    weights: weightsOf(draft, runId),
    n: number(draft.n),
    temperature: number(draft.temperature, sampling.temperature),
    topP: number(draft.topP, sampling.top_p),
    maxTokens: number(draft.maxTokens, sampling.max_tokens),
  });
  if (parsed.success) return { input: parsed.data };
  const faults = parsed.error.issues.map(({ path, message }) => [path.join("."), message]);
  return { faults: Object.fromEntries(faults) };
}

function weightsOf({ kind, checkpoint, url, api }: ReplayDraft, runId: string) {
  if (kind === "live") return { kind, runId };
  if (kind === "engine") return { kind, url: url.trim(), api };
  const at = checkpoint.lastIndexOf("/");
  return { kind, runId: checkpoint.slice(0, at), step: Number(checkpoint.slice(at + 1)) };
}
