import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pythonInputs, pythonInstall } from "#scaffolds/programs/python-install.ts";

const PYTHON_SOURCES = join(import.meta.dirname, "../../../python");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-python-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Stands in for a Python: a program that says one thing and fails. */
async function failingPython(words: string): Promise<string> {
  const path = join(folder, "python");
  await writeFile(path, `#!/bin/sh\necho "${words}" >&2\nexit 1\n`, { mode: 0o755 });
  return path;
}

it("says what to set where there is no such Python, or one that is too old or has no pip", async () => {
  const install = (python: string) =>
    pythonInstall({ python, folder: PYTHON_SOURCES }, "mini-swe-agent", join(folder, "agent"));
  await expect(install(join(folder, "no-python"))).rejects.toMatchObject({
    exceptionType: "AgentSetupError",
    userMessage: expect.stringMatching(/ENOENT\. Set LIVERL_PYTHON/),
  });
  for (const words of ["it is Python 3.11.7", "No module named 'pip'"])
    await expect(install(await failingPython(words))).rejects.toThrow(
      `${words}. Set LIVERL_PYTHON, where LiveRL is started, to a Python 3.12`,
    );
});

it("depends on the Python, the packages and how they start", async () => {
  const inputs = await pythonInputs({ python: "p", folder: PYTHON_SOURCES }, "mini-swe-agent");
  expect(inputs).toEqual([
    "p",
    expect.stringContaining("copy_python"),
    expect.stringMatching(/^mini-swe-agent==2\.4\.6$/m),
    expect.stringContaining("DefaultAgent"),
  ]);
});
