import { expect, test } from "vitest";
import { maskSecrets, redactSecrets, rememberSecrets } from "#redact-secrets.ts";

const R = "[redacted]";
const base = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ2bC4dF6hJ8kL0n";

test.each([
  [`liverl_${base.repeat(2).slice(0, 43)}`, R],
  ["aws AKIAIOSFODNN7EXAMPLE x", `aws ${R} x`],
  ["AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", `AWS_SECRET_ACCESS_KEY=${R}`],
  [`github_pat_11ABCDEFG0${base}`, R],
  [`ghp_${base.slice(0, 36)}`, R],
  [`gho_${base.slice(0, 36)}`, R],
  [`glpat-${base.slice(0, 20)}`, R],
  ["xoxb-123456789012-123456789012-AbCdEfGhIjKl", R],
  [`sk-${base}`, R],
  [`sk-ant-api03-${base}`, R],
  [`sk-proj-${base}`, R],
  [`hf_${base.slice(0, 34)}`, R],
  [`AIza${base.slice(0, 35)}`, R],
  [`WANDB_API_KEY=${"0123456789abcdef".repeat(3).slice(0, 40)}`, `WANDB_API_KEY=${R}`],
  [`wandb: key: ${"0123456789abcdef".repeat(3).slice(0, 40)}`, `wandb: key: ${R}`],
  [
    `machine api.wandb.ai login user password ${"0123456789abcdef".repeat(3).slice(0, 40)}`,
    `machine api.wandb.ai login user password ${R}`,
  ],
  [`jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${base} end`, `jwt ${R} end`],
  ["jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0", `jwt ${R}`],
  ["git clone https://user:hunter2@host/x", `git clone https://user:${R}@host/x`],
  ["postgresql://me:p%40ss@db:5432/x", `postgresql://me:${R}@db:5432/x`],
  ["PASSWORD=hunter2 next", `PASSWORD=${R} next`],
  ['{"password": "hunter2", "a": 1}', `{"password": "${R}", "a": 1}`],
  ['{\\"api_key\\": \\"hunter22\\"}', `{\\"api_key\\": \\"${R}\\"}`],
  ["password: hunter2", `password: ${R}`],
  ["run --password hunter2 --steps 3", `run --password ${R} --steps 3`],
  [`run --token ${base}`, `run --token ${R}`],
  ["run --api-key=abcd1234", `run --api-key=${R}`],
  ["client_secret=abcd1234&x=1", `client_secret=${R}&x=1`],
  [`HF_TOKEN=${base}`, `HF_TOKEN=${R}`],
  [`token: "${base}"`, `token: "${R}"`],
  ["https://hooks.slack.com/services/T000/B000/XXXXXXXX", `https://hooks.slack.com/services/${R}`],
  [
    "-----BEGIN RSA PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA\\n-----END RSA PRIVATE KEY-----",
    `-----BEGIN RSA PRIVATE KEY-----${R}-----END RSA PRIVATE KEY-----`,
  ],
  ["MIIEpAIBAAKCAQEA7bq0XlT0o2Jx1m3n4o5p6q7r8s9t0uAvBwCxDyEzF0G1H2I3", R],
  [`Authorization: Basic ${base}`, `Authorization: Basic ${R}`],
])("takes the secret out of %s", (text, redacted) => {
  expect(redactSecrets(text)).toBe(redacted);
});

test.each([
  "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
  "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "model.safetensors e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "step:3 - response/tokens:128 - prompt_tokens=12 max_tokens=4096 token_ids=[1,2,3]",
  "eos_token: </s> pad_token='<|endoftext|>' eos_token_id=151645 token=42",
  "tokenizer=/models/Qwen3-0.6B tokenizer_path: /a/b/c/d/e/f/g/h/1",
  "quickstart-01-01.s12.g3.r4-a1 session run.s1.g0.r0-a1",
  "password=null token: None api_key=$API_KEY secret: <from a file>",
  "POST /sess/run.s1.g0.r0-a1/v1/chat/completions",
  "http://127.0.0.1:4400/runs/quickstart-01-01?step=3",
  "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
  '"rollout_corr/chi2_token":1.4181206853258743e-7,"x":0.9999999296146046',
  "user@host:/path and a ratio 3:1 at 12:30:01",
  "keyword-arguments-are-not-taken-here",
])("leaves %s alone", (text) => {
  expect(redactSecrets(text)).toBe(text);
});

test("takes out what this machine handed out, and keeps the length where it has to", () => {
  const ingest = "a1b2c3d4e5".repeat(4);
  expect(redactSecrets(`git ${ingest}`)).toBe(`git ${ingest}`);
  rememberSecrets([ingest, "short"]);
  expect(redactSecrets(`git ${ingest} short`)).toBe(`git ${R} short`);
  const line = `PASSWORD=hunter2 ${ingest} é`;
  expect(maskSecrets(line)).toBe(`PASSWORD=******* ${"*".repeat(40)} é`);
});

test("a line of 1 MB takes linear time", () => {
  for (const part of [
    "a",
    "A",
    "0",
    " ",
    "-",
    "eyJ",
    "eyJ.",
    "sk-",
    "://a:",
    "password=",
    "token:",
    "--",
    "-----BEGIN PRIVATE KEY-----",
    "Bearer ",
    "/sess/",
    "key-a",
    '"',
    "_",
  ]) {
    const before = process.cpuUsage();
    redactSecrets(part.repeat(1_000_000 / part.length));
    expect(process.cpuUsage(before).user / 1_000, part).toBeLessThan(3_000);
  }
});
