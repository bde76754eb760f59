import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AppError } from "@liverl/contract/app-error";
import type { VerlMode } from "@liverl/contract/verl-launch";
import { z } from "zod";
import { VERL_MODULES } from "#drivers/verl/build-verl-overrides.ts";
import { childEnv } from "#env.ts";

const run = promisify(execFile);
const CHECK_MS = 300_000;
const Verdict = z.object({
  ok: z.boolean(),
  error: z.string().nullable(),
  kind: z.string().nullable(),
});

/** Has verl itself judge the config, before anything of Ray is started. Throws BAD_REQUEST in verl's own words. */
export async function checkVerlConfig(
  python: string,
  {
    mode,
    overrides,
    env,
  }: { mode: VerlMode; overrides: readonly string[]; env: Record<string, string> },
  signal: AbortSignal,
): Promise<void> {
  const module = VERL_MODULES[mode];
  const argv = ["-W", "ignore", "-m", "liverl_verl.preflight", "--module", module, ...overrides];
  const said = await run(python, argv, {
    env: { ...childEnv(), ...env },
    timeout: CHECK_MS,
    signal,
    maxBuffer: 64 * 1024 * 1024,
  }).then(
    ({ stdout }) => stdout,
    (error: unknown) => {
      signal.throwIfAborted();
      return error instanceof Error && "stdout" in error ? String(error.stdout) : "";
    },
  );
  const verdict = readVerdict(said);
  // What can not be asked is left to verl's own start.
  if (verdict === null || verdict.ok) return;
  throw new AppError("BAD_REQUEST", {
    userMessage: `verl does not take this config: ${verdict.error ?? "it gave no reason"}`,
  });
}

function readVerdict(stdout: string): z.infer<typeof Verdict> | null {
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  try {
    const parsed = Verdict.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
