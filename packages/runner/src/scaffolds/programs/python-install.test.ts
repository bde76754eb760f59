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

it("says what to set where there is no such Python", async () => {
  const place = { python: join(folder, "no-python"), folder: PYTHON_SOURCES };
  const failing = pythonInstall(place, "mini-swe-agent", join(folder, "agent"));
  await expect(failing).rejects.toMatchObject({
    exceptionType: "AgentSetupError",
    userMessage: expect.stringMatching(/ENOENT[\s\S]*Set LIVERL_PYTHON/),
  });
});

it("tells the last words of an installer that fails", async () => {
  // Stands in for a Python that has no pip.
  const python = join(folder, "python");
  await writeFile(python, "#!/bin/sh\necho 'No module named pip' >&2\nexit 1\n", { mode: 0o755 });
  const place = { python, folder: PYTHON_SOURCES };
  const failing = pythonInstall(place, "mini-swe-agent", join(folder, "agent"));
  await expect(failing).rejects.toThrow("No module named pip");
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
