import type { ReplayRow } from "@liverl/contract/replay";

/** How a replay stands, and the mark for it. */
export function describeReplay({
  status,
  sampled,
  n,
}: Pick<ReplayRow, "status" | "sampled" | "n">) {
  if (status === "done") return { dot: "ok", words: `${n} sampled` } as const;
  if (status === "failed") return { dot: "bad", words: "failed" } as const;
  if (status === "cancelled")
    return { dot: "stop", words: `cancelled, ${sampled} of ${n} sampled` } as const;
  return status === "queued"
    ? ({ dot: "none", words: "waits" } as const)
    : ({ dot: "run", words: `${sampled} of ${n} sampled` } as const);
}
