import { z } from "zod";
import { SettingsError } from "#config/settings-error.ts";

const PREFIX = "PROXY_";
/** Where trainers look for a proxy; often set where one runs, too. */
const CLIENTS_OWN = "PROXY_SERVER_URL";
const Switch = z.enum(["0", "1"]).optional();
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
export const env = readEnv();

/** Throws SettingsError, as settings do. */
function readEnv(): z.infer<typeof Env> {
  const parsed = Env.safeParse(process.env);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    return `${name}: ${JSON.stringify(process.env[name])} is not allowed. Allowed: ${allowedOf(issue)}.`;
  });
  throw new SettingsError(lines);
}

function allowedOf(issue: z.core.$ZodIssue): string {
  return issue.code === "invalid_value" ? issue.values.join(", ") : issue.message;
}

/** Variables that configure a stand-alone proxy; an empty one counts as absent. */
export function proxyVariables(): Record<string, string> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env))
    if (name.startsWith(PREFIX) && name !== CLIENTS_OWN && value) set[name] = value;
  return set;
}

/** What a worker process gets of it: not the settings, which its plan holds, nor the token among them. */
export function workerVariables(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env))
    if (!name.startsWith(PREFIX) && value !== undefined) kept[name] = value;
  return kept;
}
