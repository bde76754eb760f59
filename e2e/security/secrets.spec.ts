import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { attempt, test, tokenOf } from "#fixtures/attacker.ts";
import { expect, type LiveRL } from "#fixtures/liverl.ts";

const SECRETS = {
  HF_TOKEN: "hf_thisIsTheRealToken",
  WANDB_API_KEY: "0123456789abcdef0123456789abcdef01234567",
  AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG",
  OTHER: "sk-proj-aKeyByItsValue",
};

interface Spec {
  driver: string;
  name: string;
  target: Record<string, unknown>;
  env: Record<string, string>;
}

async function get<T>(liverl: LiveRL, path: string, token: string): Promise<T> {
  const { status, text } = await attempt(liverl, path, { token });
  expect(status, text).toBe(200);
  return JSON.parse(text) as T;
}

async function launch(liverl: LiveRL, spec: Spec, token: string): Promise<string> {
  const body = { spec, idempotencyKey: `secrets-${Math.random()}`, force: true };
  const { status, text } = await attempt(liverl, "/api/v1/run/launch", { token, body });
  expect(status, text).toBe(200);
  return (JSON.parse(text) as { id: string }).id;
}

async function untilEnded(liverl: LiveRL, id: string, token: string): Promise<void> {
  await attempt(liverl, "/api/v1/run/stop", { token, body: { id, when: "now" } });
  await expect
    .poll(
      async () => (await get<{ status: string }>(liverl, `/api/v1/run/get?id=${id}`, token)).status,
      { timeout: 90_000 },
    )
    .toMatch(/failed|cancelled/);
}

test("secrets in a spec's variables are shown to nobody, and a clone keeps them", async ({
  liverl,
  listener,
}) => {
  const [read, operate] = [await tokenOf(liverl, "read"), await tokenOf(liverl, "operate")];
  const { defaults } = await get<{ defaults: Spec[] }>(liverl, "/api/v1/launch/presets", read);
  const preset = defaults.find(({ driver }) => driver === "ray-job");
  if (!preset) throw new Error("there are no defaults of ray-job");
  const env = { ...SECRETS, NCCL_DEBUG: "INFO" };
  const target = { ...preset.target, address: listener.url, token_path: null };
  const id = await launch(liverl, { ...preset, name: "secret", target, env }, operate);
  await untilEnded(liverl, id, operate);
  const places = [
    `/api/v1/run/get?id=${id}`,
    `/api/v1/launch/spec-of?runId=${id}`,
    `/api/v1/run/config?runId=${id}`,
    `/api/v1/run/events?id=${id}`,
    `/api/v1/run/list`,
    `/api/v1/runs/${id}/archive.tar.gz`,
  ];
  for (const path of places)
    for (const token of [read, operate]) {
      const { text, status } = await attempt(liverl, path, { token });
      expect(status, path).toBe(200);
      for (const secret of Object.values(SECRETS)) expect(text, path).not.toContain(secret);
    }
  const shown = await get<Spec>(liverl, `/api/v1/launch/spec-of?runId=${id}`, read);
  expect(shown.env).toEqual({
    NCCL_DEBUG: "INFO",
    ...Object.fromEntries(Object.keys(SECRETS).map((name) => [name, `hidden:${id}`])),
  });
  const valuesOf = async (run: string): Promise<Record<string, string>> =>
    JSON.parse(await readFile(join(liverl.dataDir, "secrets", `${run}.json`), "utf8"));
  const kept = Object.fromEntries(Object.entries(SECRETS).map(([name, v]) => [`env.${name}`, v]));
  expect(await valuesOf(id)).toEqual(kept);
  const { mode } = await stat(join(liverl.dataDir, "secrets", `${id}.json`));
  expect(mode & 0o777).toBe(0o600);

  // The form sends back what it showed; one value was edited.
  const edited = { ...shown, env: { ...shown.env, OTHER: "sk-proj-another" } };
  const clone = await launch(liverl, edited, operate);
  expect(await valuesOf(clone)).toEqual({ ...kept, "env.OTHER": "sk-proj-another" });
  await untilEnded(liverl, clone, operate);
  const deleted = await attempt(liverl, "/api/v1/run/delete", { token: operate, body: { id } });
  expect(deleted.status, deleted.text).toBe(200);
  await expect(valuesOf(id)).rejects.toThrow("ENOENT");
  const gone = { spec: shown, idempotencyKey: "secrets-gone", force: true };
  const refused = await attempt(liverl, "/api/v1/run/launch", { token: operate, body: gone });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("give its value")]);
});
