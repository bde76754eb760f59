import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { trackerSetup } from "#runs/tracker-setup.ts";

const ORIGIN = "http://127.0.0.1:4400";
const run = (script: string) => execFileSync("sh", ["-c", script]).toString().trimEnd().split("\n");

test.each(["/data/liverl", "/a b/it's $(here)"])("a shell reads the token below %s", (dataDir) => {
  const cat = `cat() { printf '%s' "$1"; }`;
  expect(
    run(
      `${cat}; ${trackerSetup("mlflow", ORIGIN, dataDir)}; printenv MLFLOW_TRACKING_URI MLFLOW_TRACKING_TOKEN`,
    ),
  ).toEqual([ORIGIN, `${dataDir}/ingest.token`]);
  expect(
    run(`${cat}; ${trackerSetup("wandb", ORIGIN, dataDir)}; printenv WANDB_BASE_URL WANDB_API_KEY`),
  ).toEqual([ORIGIN, `${dataDir}/ingest.token`]);
  const words = run(
    `curl() { printf '%s\\n' "$@"; }; ${cat}; ${trackerSetup("api", ORIGIN, dataDir)}`,
  );
  expect(words.slice(0, 4)).toEqual([
    ...[`${ORIGIN}/api/v1/metrics`, "-H"],
    ...[`authorization: Bearer ${dataDir}/ingest.token`, "-d"],
  ]);
  expect(JSON.parse(words[4] ?? "")).toMatchObject({ rows: [{ step: 1, values: { loss: 0.5 } }] });
});
