import type { VerlSpec } from "@liverl/contract/verl-launch";
import { stringify } from "yaml";
import { AGENT_LOOP } from "#drivers/verl/build-verl-overrides.ts";

/** Where the adapter finds the data plane, as seen from the trainer's machines. */
export interface AdapterLinks {
  runnerUrl: string;
  runnerTokenPath: string;
  proxyUrl: string;
  workerTokenPath: string;
}

/** `agent_loop_config_path`: the entry that makes verl instantiate our loop. Holds paths of secrets, no secret. Pure. */
export function buildAgentLoops(runId: string, spec: VerlSpec, links: AdapterLinks): string {
  const { rollout, trajectory_filter, data } = spec;
  return stringify([
    {
      name: AGENT_LOOP,
      _target_: "liverl_verl.agent_loop.RemoteAgentLoop",
      run_id: runId,
      runner_url: links.runnerUrl,
      runner_token_path: links.runnerTokenPath,
      proxy_url: links.proxyUrl,
      worker_token_path: links.workerTokenPath,
      retries: rollout.retries,
      worker_concurrency: Math.max(1, Math.ceil(rollout.concurrency / rollout.agent_workers)),
      ...(rollout.max_tokens !== null && { max_tokens: rollout.max_tokens }),
      ...(trajectory_filter.enable && { drop_reasons: trajectory_filter.drop_reasons }),
      ...(data.harbor_root !== null && { harbor_root: data.harbor_root }),
      ...(data.task_path_template !== null && { task_path_template: data.task_path_template }),
    },
  ]);
}
