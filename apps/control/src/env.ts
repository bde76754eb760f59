import { z } from "zod";

const Env = z.object({
  /** An own PostgreSQL (15 or newer) instead of the embedded one. */
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  LIVERL_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal"]).default("info"),
});
export type Env = z.infer<typeof Env>;

/** Throws with one line for each bad variable. */
export function readEnv(): Env {
  const parsed = Env.safeParse(process.env);
  if (parsed.success) return parsed.data;
  throw new Error(
    parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n"),
  );
}

/**
 * What the trial runner gets: it finds Docker by `DOCKER_HOST` and its kin, and a task may ask for any variable of this
 * host by `${NAME}`. So all of them but LiveRL's own.
 */
export function runnerEnv(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name]) => name !== "DATABASE_URL" && !name.startsWith("LIVERL_"),
  );
  return Object.fromEntries(
    kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** What child processes get: enough to run a program, none of our secrets. */
export function childEnv(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ"]) {
    const value = process.env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
