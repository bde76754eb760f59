import { describe, expect, it } from "vitest";
import { hostVariables, resolveEnv, withoutSecrets } from "#tasks/env-templates.ts";

const HOST = { SET: "found", EMPTY: "" };

describe("templates of an env table", () => {
  it("are filled in from this host", () => {
    expect(
      resolveEnv(
        {
          plain: "x",
          set: `\${SET}`,
          empty: `\${EMPTY:-no}`,
          fallback: `\${NONE:-a:-b}`,
          blank: `\${NONE:-}`,
          within: `a \${SET}`,
          bare: "$SET",
          open: `\${SET`,
          inherited: `\${toString:-no}`,
        },
        HOST,
        "t",
      ),
    ).toEqual({
      plain: "x",
      set: "found",
      empty: "",
      fallback: "a:-b",
      blank: "",
      within: `a \${SET}`,
      bare: "$SET",
      open: `\${SET`,
      inherited: "no",
    });
  });

  it("say which variable is not set", () => {
    expect(() => resolveEnv({ K: `\${NONE}` }, HOST, "task.toml: [verifier].env")).toThrow(
      "task.toml: [verifier].env.K asks for the environment variable NONE, which is not set on this host.",
    );
  });

  it("are listed", () => {
    expect(hostVariables({ a: `\${A}`, b: `\${B:-c}`, c: "d" })).toEqual([
      { name: "A", fallback: null },
      { name: "B", fallback: "c" },
    ]);
  });

  it("stand in files for what is secret", () => {
    expect(
      withoutSecrets({
        API_KEY: "sk-1",
        MAX_TOKENS: "5",
        auth: "x",
        T: `\${T}`,
        DB_PASSWORD: `\${P}`,
      }),
    ).toEqual({
      API_KEY: `\${API_KEY}`,
      MAX_TOKENS: "5",
      auth: `\${auth}`,
      T: `\${T}`,
      DB_PASSWORD: `\${P}`,
    });
  });
});
