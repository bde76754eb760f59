import { alertRouter } from "#alerts/router.ts";
import { browserRouter, tokenRouter } from "#auth/router.ts";
import { checkpointRouter } from "#checkpoints/router.ts";
import { clusterRouter } from "#cluster/router.ts";
import { filterRouter } from "#filters/router.ts";
import { groupRouter } from "#groups/router.ts";
import { launchRouter } from "#launch/router.ts";
import { logRouter } from "#logs/router.ts";
import { metricRouter } from "#metrics/router.ts";
import { priceRouter } from "#prices/router.ts";
import { replayRouter } from "#replays/router.ts";
import { rolloutRouter } from "#rollouts/router.ts";
import { runRouter } from "#runs/router.ts";
import { sandboxRouter } from "#sandboxes/router.ts";
import { sessionRouter } from "#sessions/router.ts";
import { stepRouter } from "#steps/router.ts";
import { systemRouter } from "#system/router.ts";
import { taskRouter } from "#tasks/router.ts";
import { thresholdRouter } from "#thresholds/router.ts";
import { trajectoryRouter } from "#trajectories/router.ts";
import { router } from "#trpc.ts";
import { viewRouter } from "#views/router.ts";

export const appRouter = router({
  run: runRouter,
  launch: launchRouter,
  metric: metricRouter,
  view: viewRouter,
  step: stepRouter,
  rollout: rolloutRouter,
  filter: filterRouter,
  task: taskRouter,
  group: groupRouter,
  trajectory: trajectoryRouter,
  replay: replayRouter,
  session: sessionRouter,
  checkpoint: checkpointRouter,
  cluster: clusterRouter,
  sandbox: sandboxRouter,
  log: logRouter,
  threshold: thresholdRouter,
  price: priceRouter,
  alert: alertRouter,
  system: systemRouter,
  token: tokenRouter,
  browser: browserRouter,
});
export type AppRouter = typeof appRouter;
