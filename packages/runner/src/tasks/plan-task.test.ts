import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { effectiveTimeoutS } from "#tasks/effective-timeout.ts";
import { loadTask } from "#tasks/load-task.ts";
import { planTask } from "#tasks/plan-task.ts";
import { makeTask, TASKS } from "#testing/make-task.ts";

describe("a time-out", () => {
  it.each([
    [600, {}, 600],
    [null, {}, null],
    [null, { override: 30 }, 30],
    [600, { override: 30, multiplier: 2 }, 60],
    [600, { override: 0 }, 600],
    [600, { max: 100, multiplier: 1.5 }, 150],
    [600, { max: 0 }, 600],
    [Number.POSITIVE_INFINITY, {}, null],
    [Number.POSITIVE_INFINITY, { max: 10 }, 10],
    [600, { multiplier: 0.5 }, 300],
  ])("of %j with %j is %j", (task, rule, expected) => {
    expect(effectiveTimeoutS(task, rule)).toBe(expected);
  });
});

describe("the plan of a task", () => {
  it("says for each step what counts", async () => {
    const plan = planTask(await loadTask(join(TASKS, "stages")), {
      multiplier: 2,
      verifier: { multiplier: 1 },
      agent: { max: 100 },
    });
    const allowlist = { mode: "allowlist", allowedHosts: ["pypi.org", "10.0.0.0/8"] };
    expect(plan).toMatchObject({
      buildTimeoutS: 1200,
      agentSetupTimeoutS: 720,
      network: allowlist,
      rewardStrategy: "final",
    });
    expect(plan.steps).toMatchObject([
      {
        agent: { timeoutS: 120, user: "agent", network: { mode: "no-network" } },
        verifier: {
          mode: "shared",
          timeoutS: 600,
          user: 1000,
          env: { SHARED: `\${SHARED:-yes}` },
          startNetwork: allowlist,
          network: allowlist,
        },
        healthcheck: { command: "true", retries: 1 },
        collect: [{ service: "main", timeout_sec: 60 }],
        artifacts: [
          { source: "/logs/artifacts" },
          { source: "/app/report.txt" },
          { destination: "build" },
        ],
        minRewards: { reward: 0.5 },
      },
      {
        agent: { timeoutS: 200, user: "other", network: { mode: "public" } },
        verifier: {
          mode: "separate",
          timeoutS: 45,
          user: "root",
          env: { SHARED: `\${SHARED:-yes}`, OWN: "1" },
          startNetwork: allowlist,
          network: { mode: "no-network" },
        },
        healthcheck: null,
        minRewards: { reward: 0.5, style: 0.25 },
      },
    ]);
    expect(plan.steps[1]?.collect).toHaveLength(2);
  });

  it("keeps an own entry for the folder of artifacts", async () => {
    const folder = await makeTask("hello", {
      "task.toml": 'artifacts = ["/x", { source = "/logs/artifacts/", exclude = ["*.o"] }]\n',
    });
    const [step] = planTask(await loadTask(folder)).steps;
    expect(step?.artifacts.map(({ source }) => source)).toEqual(["/x", "/logs/artifacts/"]);
    expect(step?.agent.timeoutS).toBeNull();
  });
});
