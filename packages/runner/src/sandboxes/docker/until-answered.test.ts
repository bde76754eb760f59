import { expect, it } from "vitest";
import { untilAnswered } from "#sandboxes/docker/until-answered.ts";
import { TrialError } from "#trials/trial-error.ts";

const { signal } = new AbortController();
const failing = (types: readonly (string | null)[]) => {
  let calls = 0;
  return async () => {
    const type = types[calls++] ?? null;
    if (type !== null) throw new TrialError(type, "no");
    return calls;
  };
};
const AWAY = "SandboxUnavailableError";

it("asks again until there is a daemon", async () => {
  expect(await untilAnswered({ patienceMs: 5_000, signal }, failing([AWAY, AWAY, null]))).toBe(3);
});

it("asks no more after its time, at a refusal, or once it is aborted", async () => {
  const patience = { patienceMs: 100, signal };
  await expect(untilAnswered(patience, failing([AWAY, null]))).rejects.toThrow(TrialError);
  const refused = failing(["SandboxBuildFailedError", null]);
  await expect(untilAnswered({ patienceMs: 5_000, signal }, refused)).rejects.toThrow(TrialError);
  const controller = new AbortController();
  const waiting = untilAnswered(
    { patienceMs: 60_000, signal: controller.signal },
    failing(Array.from({ length: 200 }, () => AWAY)),
  );
  controller.abort();
  await expect(waiting).rejects.toThrow("aborted");
});
