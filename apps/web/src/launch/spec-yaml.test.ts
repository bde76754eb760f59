import { describe, expect, test } from "vitest";
import { readYaml, removeInYaml, setInYaml, writeYaml } from "#launch/spec-yaml.ts";

const TEXT = `# my run
name: first   # keep me
optim:
  lr: 1.0e-3
  grad_clip: 1
trainer: { total_training_steps: 100, stop_at_val_reward: null }
`;

describe("setInYaml", () => {
  test("changes one value and leaves every other byte", () => {
    expect(setInYaml(TEXT, "optim.lr", 0.002, "2e-3")).toBe(TEXT.replace("1.0e-3", "2e-3"));
    expect(setInYaml(TEXT, "name", "second")).toBe(TEXT.replace("first", "second"));
    expect(setInYaml(TEXT, "trainer.stop_at_val_reward", 0.9)).toBe(TEXT.replace("null", "0.9"));
  });
  test("adds a value that is not there, and keeps comments", () => {
    const text = setInYaml(TEXT, "optim.ppo_epochs", 2);
    expect(readYaml(text).spec).toMatchObject({ optim: { ppo_epochs: 2, lr: 0.001 } });
    expect(text).toContain("# keep me");
  });
  test("text that looks like a number or a word of YAML is quoted", () => {
    for (const value of ["1e3", "true", "null", "a: b", "# no"]) {
      expect(readYaml(setInYaml(TEXT, "name", value)).spec).toMatchObject({ name: value });
    }
  });
  test("leaves text alone that does not parse", () => {
    expect(setInYaml("a: [", "a", 1)).toBe("a: [");
  });
  test("a section that is empty takes a value", () => {
    expect(readYaml(setInYaml("name: a\noptim:\n", "optim.lr", 1e-3)).spec).toEqual({
      name: "a",
      optim: { lr: 1e-3 },
    });
  });
});

test("removeInYaml takes one value out, whose key may have dots, and keeps comments", () => {
  const text = "# mine\noverrides:\n  data.seed: 1 # keep\n  ~trainer.logger: null\nenv: {}\n";
  const rest = removeInYaml(text, "overrides.~trainer.logger");
  expect(rest).toBe("# mine\noverrides:\n  data.seed: 1 # keep\nenv: {}\n");
  expect(removeInYaml(rest, "overrides.trainer.logger")).toBe(rest);
  expect(readYaml(removeInYaml(rest, "overrides.data.seed")).spec).toEqual({
    overrides: {},
    env: {},
  });
});

describe("readYaml", () => {
  test("reads what writeYaml wrote", () => {
    const spec = { name: "a", optim: { lr: 1e-6, on: true }, stop: null, list: [1, "2"] };
    expect(readYaml(writeYaml(spec)).spec).toEqual(spec);
  });
  test("knows the line of each value", () => {
    const { lines } = readYaml(TEXT);
    expect(lines.get("name")).toBe(2);
    expect(lines.get("optim.lr")).toBe(4);
    expect(lines.get("trainer.stop_at_val_reward")).toBe(6);
  });
  test("says what is wrong and where", () => {
    expect(readYaml("a: 1\nb: [").fault?.line).toBe(2);
    expect(readYaml("a: 1\na: 2").fault?.message).toMatch(/unique/i);
    expect(readYaml("- 1").fault?.message).toMatch(/map/);
    expect(readYaml("").fault?.message).toMatch(/map/);
    expect(readYaml("name: *foo").fault?.message).toMatch(/foo/);
  });
});
