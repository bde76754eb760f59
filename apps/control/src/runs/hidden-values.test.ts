import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  deleteSecrets,
  hideValues,
  isSecret,
  keepSecrets,
  revealValues,
} from "#runs/hidden-values.ts";
import { verlSpec } from "#testing/factories.ts";

let dataDir = "";
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "liverl-hidden-"));
});
afterAll(() => rm(dataDir, { recursive: true }));

test.each([
  ["HF_TOKEN", "abc"],
  ["WANDB_API_KEY", "0123456789abcdef0123456789abcdef01234567"],
  ["AWS_SECRET_ACCESS_KEY", "x/y+z"],
  ["AWS_ACCESS_KEY_ID", "AKIA0123456789ABCDEF"],
  ["aws_session_token", "t"],
  ["GITHUB_PAT", "github_pat_11AAAA"],
  ["DB_PASSWORD", "hunter2"],
  ["SOMETHING", "hf_abcdefgh"],
  ["SOMETHING", "sk-proj-abc"],
  ["MLFLOW_TRACKING_URI", "https://me:word@mlflow.example"],
  ["X", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"],
  ["X", "-----BEGIN PRIVATE KEY-----"],
  ["trainer.logger.api_key", "abc"],
])("%s=%s is a secret", (name, value) => expect(isSecret(name, value)).toBe(true));

test.each([
  ["TOKENIZERS_PARALLELISM", "false"],
  ["MAX_TOKENS", "4096"],
  ["NCCL_DEBUG", "INFO"],
  ["AWS_REGION", "eu-west-1"],
  ["HF_HOME", "/data/hf"],
  ["HF_TOKEN_PATH", "/run/secrets/hf"],
  ["WANDB_BASE_URL", "https://wandb.example"],
  ["MONKEY", "banana"],
])("%s=%s is none", (name, value) => expect(isSecret(name, value)).toBe(false));

test("what is hidden comes back for the start, also in a clone, and from nowhere else", async () => {
  const spec = verlSpec("/venv", {
    env: { HF_TOKEN: "real", NCCL_DEBUG: "INFO" },
    overrides: { "+trainer.api_key": "word", "actor.lr": 1 },
  });
  const { shown, secrets } = hideValues(spec, "one-01");
  expect(shown).toMatchObject({
    env: { HF_TOKEN: "hidden:one-01", NCCL_DEBUG: "INFO" },
    overrides: { "+trainer.api_key": "hidden:one-01", "actor.lr": 1 },
  });
  expect(JSON.stringify(shown)).not.toContain("real");
  await keepSecrets(dataDir, "one-01", secrets);
  expect((await stat(join(dataDir, "secrets/one-01.json"))).mode & 0o777).toBe(0o600);
  expect((await stat(join(dataDir, "secrets"))).mode & 0o777).toBe(0o700);
  expect(await revealValues(dataDir, shown)).toEqual(spec);
  // A clone hides what it was given under its own name.
  const clone = hideValues(await revealValues(dataDir, shown), "two-01");
  expect(clone.shown).toMatchObject({ env: { HF_TOKEN: "hidden:two-01" } });
  expect(clone.secrets).toEqual(secrets);
  await deleteSecrets(dataDir, "one-01");
  await expect(revealValues(dataDir, shown)).rejects.toThrow(
    /env.HF_TOKEN is hidden in one-01, which does not keep it any more/,
  );
});

test("a name that leads out of the folder is no hidden value", async () => {
  const spec = verlSpec("/venv", { env: { HF_TOKEN: "hidden:../operator" } });
  expect(await revealValues(dataDir, spec)).toEqual(spec);
});
