import { readdirSync, readFileSync } from "node:fs";
import { AppError } from "@liverl/contract/app-error";
import { parseTaskConfig } from "@liverl/durable/tasks/task-config";
import { describe, expect, it } from "vitest";

const fixtures = new URL("__fixtures__/task-toml/", import.meta.url);
const cases = (folder: string) =>
  readdirSync(new URL(folder, fixtures))
    .sort()
    .map((file) => [
      file.replace(/\.toml$/, ""),
      readFileSync(new URL(`${folder}/${file}`, fixtures), "utf8"),
    ]);
const read = (toml: string) => parseTaskConfig(toml, "task.toml");

describe("a task.toml", () => {
  it.each([...cases("refused"), ...cases("stricter")])("%s is refused with its key", (_, toml) => {
    const expected = toml.split("\n", 1)[0]?.slice(2) ?? "";
    try {
      read(toml);
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      const { code, userMessage } = error as AppError;
      expect(code).toBe("BAD_REQUEST");
      expect(userMessage).toMatch(/^task\.toml:/);
      expect(userMessage).toContain(expected);
      return;
    }
    expect.fail("it was accepted");
  });

  it.each(cases("accepted"))("%s is accepted", (_, toml) => {
    expect(read(toml).config.environment.build_timeout_sec).toBeGreaterThan(0);
  });
});
