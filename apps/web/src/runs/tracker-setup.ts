/** Trackers whose clients log into LiveRL when their environment says so. */
export const TRACKERS = ["mlflow", "wandb", "api"] as const;
export type Tracker = (typeof TRACKERS)[number];

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The shell lines before a trainer is started (or, of the API, instead of a client) so that its run appears here. */
export function trackerSetup(tracker: Tracker, origin: string, dataDir: string): string {
  const token = `"$(cat ${quote(`${dataDir}/ingest.token`)})"`;
  if (tracker === "mlflow")
    return [`export MLFLOW_TRACKING_URI=${origin}`, `export MLFLOW_TRACKING_TOKEN=${token}`].join(
      "\n",
    );
  if (tracker === "wandb")
    return [
      `export WANDB_BASE_URL=${origin}`,
      `export WANDB_API_KEY=${token}`,
      "export WANDB_ERROR_REPORTING=false",
    ].join("\n");
  return [
    `curl ${origin}/api/v1/metrics \\`,
    `  -H "authorization: Bearer $(cat ${quote(`${dataDir}/ingest.token`)})" \\`,
    `  -d '{"project": "my-project", "run": "my-run", "rows": [{"step": 1, "values": {"loss": 0.5}}]}'`,
  ].join("\n");
}
