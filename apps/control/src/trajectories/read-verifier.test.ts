import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { countWords, parseCtrf, readVerifier } from "#trajectories/read-verifier.ts";
import { TrialFolder } from "#trajectories/trial-folder.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "liverl-trial-"));
  await mkdir(join(dataDir, "t/verifier"), { recursive: true });
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));
const write = (name: string, text: string) => writeFile(join(dataDir, "t", name), text);
const read = async (steps: string[] = []) =>
  readVerifier(await TrialFolder.open(dataDir, "t"), steps);

const CTRF = JSON.stringify({
  results: {
    tool: { name: "pytest" },
    tests: [
      { name: "test_adds", status: "passed", duration: 1500 },
      { name: "test_keeps", status: "failed", duration: 2, trace: "assert 1 == 2" },
      { name: "test_later", status: "skipped" },
      { name: "test_odd", status: "exploded", message: "x".repeat(9_000) },
    ],
  },
});

test("rewards, counts and each test of a Harbor trial", async () => {
  await write(
    "result.json",
    JSON.stringify({ verifier_result: { rewards: { reward: 0.5, style: 1 } } }),
  );
  await write("verifier/ctrf.json", CTRF);
  const verifier = await read();
  expect(verifier).toMatchObject({
    ...{ outcome: "reward 0.5, style 1", passed: 1, total: 2, stdout: "" },
    rewards: { reward: 0.5, style: 1 },
  });
  expect(verifier?.tests?.map(({ status, seconds }) => [status, seconds])).toEqual([
    ["passed", 1.5],
    ["failed", 0.002],
    ["skipped", null],
    ["other", null],
  ]);
  expect(verifier?.tests?.[1]?.message).toBe("assert 1 == 2");
  expect(verifier?.tests?.[3]?.message).toHaveLength(4_000);
});

test("each step of a task by its name, as far as it came", async () => {
  const integrity = [{ kind: "tools-changed", evidence: ["modified /bin/bash"] }];
  const exception_info = { exception_type: "AgentTimeoutError", exception_message: "late" };
  const step = (step_name: string, reward: number, more = {}) => ({
    ...{ step_name, verifier_result: { rewards: { reward } }, exception_info: null },
    agent_result: { metadata: { integrity } },
    ...more,
  });
  await mkdir(join(dataDir, "t/steps/plan/verifier"), { recursive: true });
  await write("steps/plan/verifier/ctrf.json", CTRF);
  await write("steps/plan/verifier/test-stdout.txt", "looked\n");
  const names = ["plan", "write", "report"];
  // While it goes on: what its tests have left.
  expect(await read(names)).toMatchObject({
    outcome: "1 of 3 steps judged",
    steps: [{ name: "plan", rewards: null, outcome: "judged" }],
  });
  await write(
    "result.json",
    JSON.stringify({
      ...{ agent_result: null, verifier_result: { rewards: { reward: 0.5 } } },
      step_results: [step("plan", 1), step("write", 0, { exception_info })],
    }),
  );
  const verifier = await read(names);
  expect(verifier).toMatchObject({
    ...{ outcome: "reward 0.5", passed: 1, total: 2, integrity },
    steps: [
      { name: "plan", stdout: "looked\n", outcome: "reward 1", exception: null },
      { name: "write", stdout: "", exception: { type: "AgentTimeoutError", message: "late" } },
    ],
  });
});

test("signs of a reward that was not earned are kept, also without a reward", async () => {
  const integrity = [{ kind: "tools-changed", evidence: ["modified /bin/bash"] }];
  await write("result.json", JSON.stringify({ agent_result: { metadata: { integrity } } }));
  expect(await read()).toMatchObject({ integrity, rewards: null });
});

test("nothing, an empty output, and a report that is none", async () => {
  expect(await read()).toBeNull();
  await write("verifier/test-stdout.txt", "");
  await write("verifier/ctrf.json", '{"results": {"tests": "many"}}');
  await write("result.json", "{cut");
  expect(await read()).toMatchObject({
    stdout: "",
    outcome: "unknown",
    tests: null,
    rewards: null,
  });
});

test.each([
  ["=== 3 failed, 10 passed, 2 warnings in 0.1s ===", 10, 13],
  ["1 passed\n12 passed, 2 failed\n", 12, 14],
  ["Tests  4 passed (4)", 4, 4],
  ["ok", null, null],
])("the last line that counts: %s", (stdout, passed, total) => {
  expect(countWords(stdout)).toEqual({ passed, total });
});

test("a large file is cut, a whole one is not given cut, a link that leads out is not read", async () => {
  await write("big", "x".repeat(5 * 1024 * 1024));
  await symlink("/etc/hostname", join(dataDir, "t/link"));
  await writeFile(join(dataDir, "operator.token"), "secret");
  await symlink("../operator.token", join(dataDir, "t/near"));
  const folder = await TrialFolder.open(dataDir, "t");
  expect((await folder?.read("big"))?.length).toBeLessThan(4.1 * 1024 * 1024);
  expect(await folder?.read("big")).toContain("… cut: the whole is in");
  expect(await folder?.readWhole("big", 1_000)).toBeNull();
  for (const out of [
    "link",
    "near",
    "../operator.token",
    "verifier/../../operator.token",
    "/etc/hostname",
  ])
    expect(await folder?.read(out)).toBeNull();
  expect(await folder?.read("verifier")).toBeNull();
  expect(parseCtrf(null)).toBeNull();
});
