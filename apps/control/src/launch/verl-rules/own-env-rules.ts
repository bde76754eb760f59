import type { VerlSpec } from "@liverl/contract/verl-launch";
import { EXTERNAL_MODULES } from "#drivers/verl/build-verl-env.ts";
import { placeOfOverride } from "#launch/effective-spec.ts";
import { textOf } from "#launch/environment/bash/text.ts";
import { specFromEntries } from "#launch/environment/spec-from-entries.ts";
import { type Finding, fail, takeOut, type VerlRule, warn } from "#launch/verl-rules/verl-rule.ts";

/** A value that the agent loop's adapter or verl reads from a variable, wherever the spec sets it. */
interface Given {
  variable: string;
  /** As it is written: the variable, or the key of the override. */
  name: string;
  value: string;
  /** Where it stands in the spec. */
  path: string;
}

/** Every process of Ray gets these, in place of the job's own. */
const RAY_ENV = "ray_kwargs.ray_init.runtime_env.env_vars";
/** The adapter's settings on verl's command line; they go before variables and before the agent loop's YAML. */
const CUSTOM = "actor_rollout_ref.rollout.custom.liverl";

/** A variable's place in a spec: `env`, Ray's runtime environment, or the adapter's setting of that meaning. */
function givenOf(spec: VerlSpec, variable: string, setting: string | null): Given | null {
  const own = spec.env[variable];
  if (own !== undefined && own !== "")
    return { variable, name: variable, value: own, path: `env.${variable}` };
  const keys = [`${RAY_ENV}.${variable}`, ...(setting === null ? [] : [`${CUSTOM}.${setting}`])];
  for (const name of keys) {
    const path = placeOfOverride(spec, name);
    const value = path === undefined ? null : spec.overrides[path.slice("overrides.".length)];
    if (path !== undefined && value !== null && value !== undefined)
      return { variable, name, value: String(value), path };
  }
  return null;
}

function rule(
  name: string,
  setting: string | null,
  judge: (given: Given, spec: VerlSpec) => Finding | null,
): VerlRule {
  return {
    id: `env-${name}`,
    judge: (spec) => {
      const given = givenOf(spec, name, setting);
      return given === null ? null : judge(given, spec);
    },
  };
}

/** What LiveRL itself gives to a run. On a cluster a URL has a field of its own. */
const refused =
  (title: string, why: string, field?: "runner_url" | "proxy_url") =>
  (given: Given, spec: VerlSpec): Finding => {
    const takesUrl = field !== undefined && spec.driver !== "local-verl";
    const isUrl = /^https?:\/\/\S+$/.test(given.value);
    return fail(title, `${given.name}: ${why}`, {
      fix:
        takesUrl && isUrl
          ? takeOut(given.path, { [`target.${field}`]: given.value }, `Set target.${field} instead`)
          : takeOut(given.path),
    });
  };

const ofServerProxy =
  (judge: (given: Given, spec: VerlSpec) => Finding) => (given: Given, spec: VerlSpec) =>
    spec.proxy.mode === "server" ? judge(given, spec) : null;

const OTHER_PROXY = refused(
  "Agents would go through another proxy",
  "LiveRL gives its own to the run; through another no turn of an agent is seen here.",
  "proxy_url",
);

const OTHER_RUNNER = refused(
  "Rollouts would be asked of another trial runner",
  "LiveRL gives its own to the run.",
  "runner_url",
);

/** A field of the form says the same; the variable goes before it, and LiveRL counts by the field. */
const instead = ({ variable, name, value, path }: Given): Finding => {
  const { values } = specFromEntries({
    ...{ mode: null, module: null, configName: null, overrides: [], exported: [] },
    variables: [{ name: variable, value: textOf(value, 0), at: 0 }],
  });
  const fields = values.map((each) => each.path).join(", ");
  return warn(
    `${variable} stands in for ${fields || "a field"}`,
    `${name}=${value} goes before the form's value in verl, and LiveRL counts by the form's.`,
    {
      fix:
        fields === ""
          ? takeOut(path)
          : takeOut(
              path,
              Object.fromEntries(values.map((each) => [each.path, each.value])),
              "Set the field instead",
            ),
    },
  );
};

/** Variables of fields of the form, and the adapter's settings of the same meaning. */
const FIELD_VARIABLES: readonly [variable: string, setting: string | null][] = [
  ["REMOTE_MAX_TOKENS", "max_tokens"],
  ["REMOTE_RETRIES", "retries"],
  ["REMOTE_HARBOR_ROOT", "harbor_root"],
  ["REMOTE_TASK_PATH_TEMPLATE", "task_path_template"],
  ["TRAJ_FILTER_DROP_REASONS", "drop_reasons"],
  ["TRAJ_FILTER_ENABLE", null],
];

/** Replaced instead of extended, a list of Ray's own environment loses what LiveRL put into it. */
const extended =
  (title: string) =>
  ({ variable, name, value, path }: Given) =>
    path.startsWith("env.")
      ? null
      : fail(title, `${name} replaces what LiveRL sets; as a variable of the run it is added.`, {
          fix: takeOut(path, { [`env.${variable}`]: value }, `Set env.${variable} instead`),
        });

/** Variables and settings that would turn LiveRL off, or away from what the form says. */
export const OWN_ENV_RULES: readonly VerlRule[] = [
  rule(
    "VERL_FILE_LOGGER_PATH",
    null,
    refused(
      "This run would show no metrics",
      "verl would write its metrics where LiveRL does not look.",
    ),
  ),
  rule("VERL_USE_EXTERNAL_MODULES", null, (given) =>
    EXTERNAL_MODULES.every((module) => given.value.split(",").includes(module))
      ? null
      : extended("verl would not load LiveRL's plugin")(given),
  ),
  rule("PYTHONPATH", null, extended("verl's workers would not find LiveRL's agent loop")),
  rule("LIVERL_PROXY_MODE", "proxy_mode", (given, spec) => {
    if (given.value === spec.proxy.mode) return null;
    const isMode = given.value === "server" || given.value === "local";
    return fail(
      "The proxy would run elsewhere than the form says",
      `${given.name}=${given.value} goes before proxy.mode, which is ${spec.proxy.mode}: LiveRL prepares for that one.`,
      {
        fix: isMode
          ? takeOut(given.path, { "proxy.mode": given.value }, `Set proxy.mode to ${given.value}`)
          : takeOut(given.path),
      },
    );
  }),
  rule("PROXY_SERVER_URL", "proxy_url", ofServerProxy(OTHER_PROXY)),
  rule("LIVERL_PROXY_ACTOR", "proxy_actor", ofServerProxy(OTHER_PROXY)),
  rule("LLM_PROXY_IP", "llm_proxy_ip", ofServerProxy(OTHER_PROXY)),
  rule("LIVERL_RUNNER_URL", "runner_url", OTHER_RUNNER),
  rule("REMOTE_RUNNER_URL", null, OTHER_RUNNER),
  rule(
    "LIVERL_RUN_ID",
    "run_id",
    refused("Rollouts would count for another run", "LiveRL names the run itself."),
  ),
  ...(
    [
      ["LIVERL_RUNNER_TOKEN", "runner_token"],
      ["LIVERL_RUNNER_TOKEN_PATH", "runner_token_path"],
      ["LIVERL_WORKER_TOKEN", "worker_token"],
      ["LIVERL_WORKER_TOKEN_PATH", "worker_token_path"],
    ] as const
  ).map(([name, setting]) =>
    rule(
      name,
      setting,
      refused("LiveRL would not let the job in", "LiveRL gives the run its own tokens."),
    ),
  ),
  rule("RL_CLEAN_FORCE_GPU_KILL", null, ({ path }) =>
    warn(
      "No process of others is ended",
      "RL_CLEAN_FORCE_GPU_KILL has no effect: LiveRL ends only what it started itself, whoever else holds the GPUs.",
      { fix: takeOut(path) },
    ),
  ),
  ...FIELD_VARIABLES.map(([variable, setting]) => rule(variable, setting, instead)),
];
