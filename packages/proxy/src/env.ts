import { z } from "zod";

const Env = z.object({
  LIVERL_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
});

/** What the proxy takes from its environment. */
export const env = Env.parse(process.env);
