import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadKube } from "#kube/load-kube.ts";
import { testPlaces } from "#testing/test-places.ts";

let folder = "";
const path = (name: string) => join(folder, name);
const config = (server: string) =>
  JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "one" },
    clusters: ["one", "two"].map((name) => ({ name, cluster: { server: `${server}/${name}` } })),
    users: [{ name: "u", user: { token: "t" } }],
    contexts: ["one", "two"].map((name) => ({ name, context: { cluster: name, user: "u" } })),
  });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-kube-"));
  await writeFile(path("good"), config("https://k"));
  await writeFile(path("plain"), config("http://k"));
  await writeFile(path("broken"), "clusters: [");
  await writeFile(path("empty"), "apiVersion: v1\nkind: Config\n");
});
afterAll(() => rm(folder, { recursive: true }));
const load = (name: string, context: string | null = null) =>
  loadKube({ kubeconfig: path(name), context, namespace: "n" }, testPlaces());

test("the current context, or another by its name", () => {
  expect(load("good").server).toBe("https://k/one");
  expect(load("good", "two").server).toBe("https://k/two");
});

test.each([
  ["nowhere", null, /There is no kubeconfig at/],
  ["broken", null, /can not be used/],
  ["empty", null, /names no cluster/],
  ["good", "three", /There is no context three .* it has one, two/],
  ["plain", null, /without TLS/],
])("%s with context %s is refused in words", (name, context, words) => {
  expect(() => load(name, context)).toThrow(words);
});
