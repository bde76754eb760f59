import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseReward, scoreOf } from "#tasks/parse-reward.ts";
import { makeFolder, writeFiles } from "#testing/make-task.ts";
import { TrialError } from "#trials/trial-error.ts";

const typeOf = async (work: Promise<unknown>) => {
  const error = await work.catch((thrown: unknown) => thrown);
  return error instanceof TrialError ? error.exceptionType : error;
};

async function parse(files: Record<string, string>) {
  const folder = await makeFolder("reward");
  await writeFiles(folder, files);
  return await parseReward(folder);
}

describe("a verifier's reward", () => {
  it.each([
    ["1\n", 1],
    [" -0.5 ", -0.5],
    ["1e-3", 0.001],
    ["1_0", 10],
    ["\x1c1\x85\u00a0", 1],
  ])("reward.txt %j", async (text, reward) => {
    expect(await parse({ "reward.txt": text })).toEqual({
      rewards: { reward },
      file: "reward.txt",
      conflict: null,
    });
  });

  it("reward.json has several and wins", async () => {
    expect(
      await parse({ "reward.json": '{"reward": 0.5, "ok": true}', "reward.txt": "0.50\n" }),
    ).toEqual({ rewards: { reward: 0.5, ok: 1 }, file: "reward.json", conflict: null });
  });

  it.each([
    ['{"reward": 0}', "1"],
    ['{"reward": 0}', "?"],
    ['{"reward": 0}', ""],
    ['{"other": 1}', "1"],
  ])("two files that differ are told: %s beside %j", async (json, text) => {
    const { conflict } = await parse({ "reward.json": json, "reward.txt": text });
    expect(conflict).toMatch(/^reward\.json has .* and counts; reward\.txt says /);
  });

  const broken: [Record<string, string>, string][] = [
    [{}, "RewardFileNotFoundError"],
    [{ "reward.txt": "" }, "RewardFileEmptyError"],
    [{ "reward.json": "", "reward.txt": "1" }, "RewardFileEmptyError"],
    ...[" \n", "good", "1 2", "nan", "-inf", "1e309", "0x1", "1,5", "１ ２", "\ufeff1"].map(
      (text): [Record<string, string>, string] => [
        { "reward.txt": text },
        "VerifierOutputParseError",
      ],
    ),
    ...[
      "{",
      "1",
      "null",
      "[1]",
      '"1"',
      '{"reward": "1"}',
      '{"reward": null}',
      '{"reward": [1]}',
      '{"reward": NaN}',
      '{"reward": 1e309}',
      '\ufeff{"reward": 1}',
    ].map((json): [Record<string, string>, string] => [
      { "reward.json": json },
      "VerifierOutputParseError",
    ]),
  ];
  it.each(broken)("is never made up: %j", async (files, type) => {
    expect(await typeOf(parse(files))).toBe(type);
  });

  it("is not read through a link, from a pipe, a folder or a huge file", async () => {
    const folder = await makeFolder("reward");
    await writeFile(join(folder, "elsewhere"), "1");
    const cases: Record<string, (path: string) => unknown> = {
      link: (path) => symlink(join(folder, "elsewhere"), path),
      pipe: (path) => execFileSync("mkfifo", [path]),
      folder: (path) => mkdir(path),
      huge: (path) => writeFile(path, "1".padEnd(2_000_000)),
      bytes: (path) => writeFile(path, Buffer.from([0x31, 0xff])),
    };
    for (const [name, make] of Object.entries(cases)) {
      await mkdir(join(folder, name, "v"), { recursive: true });
      await make(join(folder, name, "v/reward.txt"));
      expect([name, await typeOf(parseReward(join(folder, name, "v")))]).toEqual([
        name,
        "VerifierOutputParseError",
      ]);
    }
  });
});

describe("the number that trains", () => {
  it.each([
    [{ reward: 0 }, 0],
    [{ reward: 0.5, format: 1 }, 0.5],
    [{ score: 0.25 }, 0.25],
  ])("of %j", (rewards, score) => expect(scoreOf(rewards)).toBe(score));

  it.each([[{}], [{ a: 1, b: 0 }], [JSON.parse('{"__proto__": 1, "x": 1}')]])(
    "is open in %j",
    (rewards) => expect(() => scoreOf(rewards)).toThrow(/no key "reward"/),
  );
});
