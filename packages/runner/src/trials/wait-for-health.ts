import { setTimeout as sleep } from "node:timers/promises";
import type { Healthcheck } from "@liverl/durable/tasks/environment-config";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import { TrialError } from "#trials/trial-error.ts";

const OUTPUT_BYTES = 4 * 1024;

/** Asks until the sandbox is well. Failures within the start period do not count. Throws `HealthcheckError`. */
export async function waitForHealth(
  sandbox: Sandbox,
  check: Healthcheck,
  { user = null, signal }: { user?: string | number | null; signal: AbortSignal },
): Promise<void> {
  const startEndsAt = Date.now() + check.start_period_sec * 1_000;
  for (let failures = 0; ; ) {
    const isStarting = Date.now() < startEndsAt;
    const { exitCode, output } = await sandbox.exec({
      argv: ["sh", "-c", check.command],
      user,
      timeoutMs: check.timeout_sec * 1_000,
      maxOutputBytes: OUTPUT_BYTES,
      signal,
    });
    if (exitCode === 0) return;
    if (!isStarting && ++failures >= Math.max(check.retries, 1)) {
      const why =
        exitCode === null ? `gave no answer in ${check.timeout_sec} s` : `exited with ${exitCode}`;
      throw new TrialError(
        "HealthcheckError",
        `The healthcheck failed ${failures} times; the last ${why}. ${output}`.trim(),
      );
    }
    const waitS = isStarting ? check.start_interval_sec : check.interval_sec;
    await sleep(waitS * 1_000, undefined, { signal });
  }
}
