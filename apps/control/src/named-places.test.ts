import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadKube } from "#kube/load-kube.ts";
import { checkPython, checkTokenFile, checkVenv, type NamedPlaces } from "#named-places.ts";

let folder = "";
const at = (...parts: string[]) => join(folder, ...parts);
const kubeconfig = (user: string) => `
apiVersion: v1
kind: Config
current-context: c
clusters: [{ name: c, cluster: { server: "https://k:6443" } }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
x-shared: &shared { exec: { apiVersion: client.authentication.k8s.io/v1, command: id, interactiveMode: Never } }
users: [{ name: u, user: ${user} }]
`;
let places: NamedPlaces;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-places-"));
  for (const name of ["data/runs", "named", "other", "envs/verl/bin", "data/venv/bin"])
    await mkdir(at(name), { recursive: true });
  for (const name of ["data/operator.token", "named/ray", "other/ray", "named-too"])
    await writeFile(at(name), "token\n");
  await symlink(at("data/operator.token"), at("named/link"));
  await symlink(at("other/ray"), at("named/away"));
  await symlink(at("named/ray"), at("named/renewed"));
  await symlink(at("data"), at("named/folder"));
  for (const name of ["envs/verl/bin/python", "data/venv/bin/python", "envs/verl/bin/rm"]) {
    await writeFile(at(name), "#!/bin/sh\n");
    await chmod(at(name), 0o755);
  }
  await symlink("/bin/sh", at("envs/verl/bin/python3"));
  await symlink(at("data/venv"), at("envs/hidden"));
  places = {
    dataDir: at("data"),
    tokens: [at("named")],
    ownKubeconfigs: [at("named/own.yaml")],
    kubeconfigs: [at("named")],
    pythons: [at("envs")],
  };
});
afterAll(() => rm(folder, { recursive: true }));

test.each(["named/ray", "named/renewed", "named/not-there-yet"])(
  "a token in a named folder may be read: %s",
  (name) => expect(() => checkTokenFile(places, at(name))).not.toThrow(),
);

test.each([
  ["data/operator.token", /data directory/],
  ["named/link", /data directory/],
  ["named/folder/operator.token", /data directory/],
  ["named/../data/operator.token", /data directory/],
  ["named/away", /not a place/],
  ["other/ray", /LIVERL_TOKEN_DIRS=.*other/],
  ["named-too", /not a place/],
])("a token elsewhere may not: %s", (name, why) => {
  // As a spec has it: `join` would resolve the dots.
  expect(() => checkTokenFile(places, `${folder}/${name}`)).toThrow(why);
});

test("a named folder around the data directory does not open it", () => {
  const wide = { ...places, tokens: ["/"] };
  expect(() => checkTokenFile(wide, at("data/operator.token"))).toThrow(/data directory/);
  expect(() => checkTokenFile(wide, at("other/ray"))).not.toThrow();
});

test("an environment in a named folder is taken, and nothing that is no Python by its name", () => {
  expect(() => checkVenv(places, at("envs/verl"))).not.toThrow();
  expect(() => checkPython(places, "python3.11")).not.toThrow();
  expect(() => checkPython(places, at("envs/verl/bin/rm"))).toThrow(/no Python/);
  expect(() => checkPython(places, at("envs/verl/bin/python3"))).toThrow(/no Python/);
  expect(() => checkPython(places, "sh")).toThrow(/not a place/);
  expect(() => checkPython(places, "/bin/sh")).toThrow(/LIVERL_PYTHON_DIRS/);
  expect(() => checkVenv(places, at("data/venv"))).toThrow(/data directory/);
  expect(() => checkVenv(places, at("envs/hidden"))).toThrow(/data directory/);
});

const load = (name: string) =>
  loadKube({ kubeconfig: at("named", name), context: null, namespace: "n" }, places);

test.each([
  "{ exec: { command: id } }",
  "{ auth-provider: { name: gcp, config: { cmd-path: id } } }",
  "{ tokenFile: /etc/hostname }",
  "{ token-file: /etc/hostname }",
  "{ <<: *shared }",
  "*shared",
])(
  "a kubeconfig that starts programs or reads files is of the own environment alone: %s",
  async (user) => {
    await writeFile(at("named/sent.yaml"), kubeconfig(user));
    await writeFile(at("named/own.yaml"), kubeconfig("{ exec: { command: id } }"));
    expect(() => load("sent.yaml")).toThrow(/starts a program or reads a file/);
    expect(load("own.yaml").server).toBe("https://k:6443");
  },
);

test("a kubeconfig that does neither is taken", async () => {
  await writeFile(at("named/plain.yaml"), kubeconfig("{ token: t }"));
  expect(load("plain.yaml").config.getCurrentUser()?.token).toBe("t");
});
