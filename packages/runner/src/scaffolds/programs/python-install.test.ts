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

/** Stands in for a Python: a program of the shell. */
async function pythonThat(script: string): Promise<string> {
  const path = join(folder, "python");
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}
const inputsOf = (python: string) =>
  pythonInputs({ python, folder: PYTHON_SOURCES }, "mini-swe-agent");

it("says what to set where there is no such Python, or one that is too old or has no pip", async () => {
  await expect(inputsOf(join(folder, "no-python"))).rejects.toMatchObject({
    exceptionType: "AgentSetupError",
    userMessage: expect.stringMatching(/ENOENT\. Set LIVERL_PYTHON/),
  });
  for (const words of ["it is Python 3.11.7", "No module named 'pip'"])
    await expect(
      inputsOf(await pythonThat(`echo "Traceback:" >&2; echo "${words}" >&2; exit 1`)),
    ).rejects.toThrow(`: ${words}. Set LIVERL_PYTHON, where LiveRL is started, to a Python 3.12`);
});

it("depends on which Python it is, the packages and how they start", async () => {
  expect(await inputsOf(await pythonThat("echo 3.13"))).toEqual([
    "3.13\n",
    expect.stringContaining("copy_python"),
    expect.stringMatching(/^mini-swe-agent==2\.4\.6$/m),
    expect.stringContaining("DefaultAgent"),
  ]);
});

it("tells pip's last words", async () => {
  const place = { python: await pythonThat("echo no index >&2; exit 1"), folder: PYTHON_SOURCES };
  await expect(pythonInstall(place, "mini-swe-agent", join(folder, "agent"))).rejects.toThrow(
    /can not install mini-swe-agent: no index\nCheck that pip/,
  );
});
