import { z } from "zod";

const Switch = z.enum(["0", "1"], "Use 0 or 1.").optional();
const Env = z
  .object({
    LIVERL_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
    LIVERL_RECOMPUTE_LOGPROBS: Switch,
    /** The same switch under its older name; ours wins. */
    HARBOR_RECOMPUTE_MISMATCH_LOGPROBS: Switch,
  })
  .transform(({ LIVERL_RECOMPUTE_LOGPROBS, HARBOR_RECOMPUTE_MISMATCH_LOGPROBS, ...rest }) => ({
    ...rest,
    /** Whether an engine may be asked to score tokens that it did not sample. */
    RECOMPUTE_LOGPROBS:
      (LIVERL_RECOMPUTE_LOGPROBS ?? HARBOR_RECOMPUTE_MISMATCH_LOGPROBS ?? "1") === "1",
  }));

/** What the proxy takes from its environment. */
export const env = Env.parse(process.env);
