import { describe, expect, it } from "vitest";
import { findUnsupported, refuseUnsupported, type TaskAbilities } from "#tasks/find-unsupported.ts";
import { loadTask } from "#tasks/load-task.ts";
import { makeTask } from "#testing/make-task.ts";

const NONE: TaskAbilities = {
  builds: false,
  compose: false,
  networkModes: ["no-network"],
  allowedHostKinds: [],
  networkSwitch: false,
  gpus: 0,
  gpuTypes: [],
  storageLimit: false,
  separateVerifier: false,
  steps: false,
  healthcheck: false,
  mcpTransports: [],
  skills: false,
  collect: false,
  trajectory: false,
};
const ALL: TaskAbilities = {
  builds: true,
  compose: true,
  networkModes: ["no-network", "public", "allowlist"],
  allowedHostKinds: ["hostname", "wildcard", "address", "range"],
  networkSwitch: true,
  gpus: 8,
  gpuTypes: ["H100"],
  storageLimit: true,
  separateVerifier: true,
  steps: true,
  healthcheck: true,
  mcpTransports: ["stdio", "sse", "streamable-http"],
  skills: true,
  collect: true,
  trajectory: true,
};
const OFFLINE = '[environment]\nnetwork_mode = "no-network"\ndocker_image = "x"\n';

async function keys(toml: string, abilities: TaskAbilities, files: Record<string, string> = {}) {
  const task = await loadTask(await makeTask("hello", { "task.toml": toml, ...files }));
  return findUnsupported(task, abilities).map(({ key }) => key);
}

describe("a sandbox that can do nothing", () => {
  it("still runs the plainest task", async () => {
    expect(await keys(OFFLINE, NONE)).toEqual([]);
  });

  it.each([
    ["", ["environment/Dockerfile", "[environment].network_mode"]],
    [`${OFFLINE}gpus = 1\n`, ["[environment].gpus"]],
    [`${OFFLINE}gpus = 0\n`, []],
    [`${OFFLINE}storage_mb = 10\n`, ["[environment].storage_mb"]],
    [`${OFFLINE}skills_dir = "/s"\n`, ["[environment].skills_dir"]],
    [`${OFFLINE}healthcheck = { command = "x" }\n`, ["[environment].healthcheck"]],
    [
      `${OFFLINE}mcp_servers = [{ name = "a", url = "x" }]\n`,
      ["[environment].mcp_servers[0].transport"],
    ],
    [`${OFFLINE}[agent]\nnetwork_mode = "public"\n`, ["[agent].network_mode"]],
    [`${OFFLINE}[verifier]\nnetwork_mode = "no-network"\n`, []],
    [`${OFFLINE}[verifier]\nenvironment_mode = "separate"\n`, ["[verifier].environment_mode"]],
    [
      `${OFFLINE}[verifier.environment]\nnetwork_mode = "no-network"\ndocker_image = "y"\ngpus = 2\n`,
      ["[verifier].environment_mode", "[verifier.environment].gpus"],
    ],
    [
      `${OFFLINE}[[verifier.collect]]\ncommand = "x"\nservice = "db"\n`,
      ["[verifier].collect[0]", "[verifier].collect[0].service"],
    ],
    [`artifacts = [{ source = "/a", service = "db" }]\n${OFFLINE}`, ["artifacts"]],
  ])("refuses by the key: %j", async (toml, expected) => {
    expect(await keys(toml, NONE)).toEqual(expected);
  });

  it("refuses files that it can not take", async () => {
    const files = { "environment/docker-compose.yaml": "services: {}", "trajectory.json": "{}" };
    expect(await keys(OFFLINE, NONE, files)).toEqual([
      "environment/docker-compose.yaml",
      "trajectory.json",
    ]);
  });

  it("refuses services of a verifier, which its environment's folder alone would give", async () => {
    const files = { "tests/docker-compose.yaml": "services: {}" };
    const toml = `${OFFLINE}[verifier]\nenvironment_mode = "separate"\n`;
    expect(await keys(toml, { ...ALL, compose: false }, files)).toEqual([
      "tests/docker-compose.yaml",
    ]);
    expect(await keys(toml, ALL, files)).toEqual([]);
  });

  it("refuses several steps", async () => {
    const task = await loadTask(await makeTask("stages"));
    expect(findUnsupported(task, NONE).map(({ key }) => key)).toEqual([
      "[environment].storage_mb",
      "[environment].healthcheck",
      "steps",
      "[environment].network_mode",
      "steps[0].agent.network_mode",
      "steps[0].verifier.collect[0]",
      "steps[0].healthcheck",
      "steps[1].verifier.environment_mode",
      "steps[1].agent.network_mode",
      "steps[1].verifier.network_mode",
      "steps[1].verifier.collect[0]",
      "steps[1].verifier.collect[1]",
    ]);
    expect(findUnsupported(task, ALL)).toEqual([]);
  });
});

describe("a sandbox that can do all", () => {
  it.each([
    ['[environment]\nos = "windows"\n', ["[environment].os"], { "tests/test.bat": "" }],
    ['[environment]\ntpu = { type = "v4", topology = "2x2" }\n', ["[environment].tpu"]],
    ["[environment]\ngpus = 9\n", ["[environment].gpus"]],
    ["[environment]\ngpus = -1\n", ["[environment].gpus"]],
    ['[environment]\ngpus = 1\ngpu_types = ["T4"]\n', ["[environment].gpu_types"]],
    ['[environment]\ngpus = 1\ngpu_types = ["T4", "H100"]\n', []],
    [
      "[environment]\ncpus = 0\nmemory_mb = -1\nstorage_mb = 0\n",
      ["[environment].cpus", "[environment].memory_mb", "[environment].storage_mb"],
    ],
    ['[environment]\nworkdir = "app"\n', ["[environment].workdir"]],
    ['[environment]\ndocker_image = "--privileged"\n', ["[environment].docker_image"]],
    ['[environment]\ndocker_image = "a b"\n', ["[environment].docker_image"]],
    ['[environment.env]\n"A=B" = "x"\n', ["[environment].env"]],
    ['[verifier.env]\n"" = "x"\n', ["[verifier].env"]],
    ["[agent]\ntimeout_sec = nan\n", ["[agent].timeout_sec"]],
    ["[agent]\ntimeout_sec = inf\n", []],
    ["[verifier]\ntimeout_sec = 0\n", ["[verifier].timeout_sec"]],
    ["[environment]\nbuild_timeout_sec = -1\n", ["[environment].build_timeout_sec"]],
    [
      '[environment]\nhealthcheck = { command = "x", timeout_sec = 0 }\n',
      ["[environment.healthcheck].timeout_sec"],
    ],
  ])(
    "still refuses what nothing can do: %j",
    async (toml, expected, files: Record<string, string> = {}) => {
      expect(await keys(toml, ALL, files)).toEqual(expected);
    },
  );

  it("says which hosts it can not let through", async () => {
    const toml = `[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["a.b", "*.c.d", "10.0.0.0/8", "::1"]\n`;
    const abilities: TaskAbilities = { ...ALL, allowedHostKinds: ["hostname"] };
    const task = await loadTask(await makeTask("hello", { "task.toml": toml }));
    expect(findUnsupported(task, abilities).map(({ why }) => why.split(":")[0])).toEqual([
      "*.c.d",
      "10.0.0.0/8",
      "",
    ]);
  });
});

it("a refusal names the file, the key and what to do, a line each", async () => {
  const folder = await makeTask("hello", {
    "task.toml": `${OFFLINE}gpus = 1\nstorage_mb = 5\n`,
  });
  const task = await loadTask(folder);
  expect(() => refuseUnsupported(task, NONE)).toThrow(
    `${folder}/task.toml: [environment].gpus: a sandbox has no GPUs here, not 1.\n${folder}/task.toml: [environment].storage_mb: the disk of a sandbox can not be limited here; remove the key.`,
  );
  expect(() => refuseUnsupported(task, ALL)).not.toThrow();
});
