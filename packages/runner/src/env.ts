import { z } from "zod";

const Env = z.object({
  LIVERL_LOG_LEVEL: z
    .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])
    .default("info"),
});

/** The only reader of this room's environment variables. */
export const env = Env.parse(process.env);

/** What tasks may ask this host for by `${VAR}`. */
export const hostEnv: Readonly<Record<string, string | undefined>> = process.env;
