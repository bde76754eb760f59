import { trimEnd } from "@liverl/contract/trim-end";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import { stringify } from "yaml";
import { AGENT_LOOP } from "#drivers/verl/build-verl-overrides.ts";
import { modelNameOf } from "#drivers/verl/register-verl-run.ts";

/** Where the adapter finds the data plane, as seen from the trainer's machines. */
export interface AdapterLinks {
  runnerUrl: string;
  runnerTokenPath: string;
  proxyUrl: string;
  workerTokenPath: string;
}

/** What a host of the trainer starts its own proxy with. */
export interface LocalProxyLinks extends Pick<AdapterLinks, "runnerUrl" | "runnerTokenPath"> {
  /** Null: what the adapter's package brings along, and finds. */
  proxyBundle: string | null;
  node: string | null;
}

/** `agent_loop_config_path`: the entry that makes verl instantiate our loop. Holds paths of secrets, no secret. Pure. */
export function buildAgentLoops(
  runId: string,
  spec: VerlSpec,
  links: AdapterLinks | LocalProxyLinks,
): string {
  const { rollout, trajectory_filter, data } = spec;
  return stringify([
    {
      name: AGENT_LOOP,
      _target_: "liverl_verl.agent_loop.RemoteAgentLoop",
      run_id: runId,
      runner_url: links.runnerUrl,
      runner_token_path: links.runnerTokenPath,
      ...("proxyBundle" in links ? localProxyOf(spec, links) : proxyOf(links)),
      retries: rollout.retries,
      worker_concurrency: Math.max(1, Math.ceil(rollout.concurrency / rollout.agent_workers)),
      ...(rollout.max_tokens !== null && { max_tokens: rollout.max_tokens }),
      ...(trajectory_filter.enable && { drop_reasons: trajectory_filter.drop_reasons }),
      ...(data.harbor_root !== null && { harbor_root: data.harbor_root }),
      ...(data.task_path_template !== null && { task_path_template: data.task_path_template }),
    },
  ]);
}

const proxyOf = (links: AdapterLinks) => ({
  proxy_url: withPort(links.proxyUrl),
  worker_token_path: links.workerTokenPath,
});

const localProxyOf = (spec: VerlSpec, { proxyBundle, node }: LocalProxyLinks) => ({
  proxy_mode: "local",
  model_dir: spec.model.path,
  model_name: modelNameOf(spec),
  ...(proxyBundle !== null && { proxy_bundle: proxyBundle }),
  ...(node !== null && { node }),
});

/** The adapter takes no URL that leaves its port to be guessed. */
function withPort(text: string): string {
  const url = new URL(text);
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return `${url.protocol}//${url.hostname}:${port}${trimEnd(url.pathname, "/")}`;
}
