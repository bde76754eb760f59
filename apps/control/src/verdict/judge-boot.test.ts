import { VERL_BOOT_PHASES } from "@liverl/contract/verl-launch";
import { expect, it } from "vitest";
import { judgeBoot } from "#verdict/judge-boot.ts";

const phase = (id: string, minutes: number, typicalS: [number, number] | null = null) => ({
  ...{ id, label: "CUDA graph capture", detail: null, progress: null, endedAt: null, typicalS },
  status: "now" as const,
  startedAt: new Date(-minutes * 60_000).toISOString(),
});

it("a phase that takes too long is named with its likely cause", () => {
  expect(judgeBoot([phase("graphs", 31)], 0)).toMatchObject({
    id: "boot-stall",
    level: "bad",
    title: "CUDA graph capture takes long",
    detail: expect.stringMatching(/^31 minutes, and 30 is the most that is normal\. CUDA graph/),
  });
  expect(judgeBoot([phase("graphs", 29)], 0)).toBeNull();
});

it("what earlier runs took is waited for three times", () => {
  expect(judgeBoot([phase("graphs", 59, [600, 1200])], 0)).toBeNull();
  expect(judgeBoot([phase("graphs", 61, [600, 1200])], 0)).not.toBeNull();
});

it("phases without a limit, and starts that are over, are not judged", () => {
  expect(judgeBoot([phase("warmup", 600)], 0)).toBeNull();
  expect(judgeBoot([{ ...phase("ray", 600), status: "done" }], 0)).toBeNull();
});

it("every phase of verl's start has a limit, Preflight among them", () => {
  for (const { id } of VERL_BOOT_PHASES) {
    const advisory = judgeBoot([phase(id, 10_000)], 0);
    expect(advisory?.detail, id).toMatch(/is the most that is normal\. \S/);
  }
  expect(judgeBoot([phase("preflight", 1)], 0)).toBeNull();
});
