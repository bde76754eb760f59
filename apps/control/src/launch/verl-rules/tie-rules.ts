import { SINGLE_OUTPUT_MODES, type VerlSpec } from "@liverl/contract/verl-launch";
import { AGENT_LOOP, totalRolloutSteps } from "#drivers/verl/build-verl-overrides.ts";
import { readOverride } from "#launch/effective-spec.ts";
import { type Finding, fail, set, type VerlRule, warn } from "#launch/verl-rules/verl-rule.ts";

const ROLLOUT = "actor_rollout_ref.rollout";
type Override = NonNullable<ReturnType<typeof readOverride>>;

const ifOverridden = (
  key: string,
  judge: (override: Override, spec: VerlSpec) => Finding | null,
): VerlRule => ({
  id: `own ${key}`,
  judge: (spec) => {
    const override = readOverride(spec, key);
    return override === undefined ? null : judge(override, spec);
  },
});

const ifInEnv = (name: string, finding: (spec: VerlSpec) => Finding | null): VerlRule => ({
  id: `own ${name}`,
  judge: (spec) => (spec.env[name] === undefined ? null : finding(spec)),
});

/** What ties a run to LiveRL, and comes undone by an override or a variable of one's own. */
export const TIE_RULES: readonly VerlRule[] = [
  ifOverridden(`${ROLLOUT}.agent.agent_loop_config_path`, ({ path }) =>
    fail(
      "No agent of LiveRL would play",
      "LiveRL's agent loop is registered by its own file: leave this override out. Other loops can not be registered beside it.",
      { field: path },
    ),
  ),
  ifOverridden(`${ROLLOUT}.agent.default_agent_loop`, ({ path, value }) =>
    value === AGENT_LOOP
      ? null
      : fail(
          "No agent of LiveRL would play",
          `Rows that name no loop of their own would go to ${value}.`,
          { fix: set(path, AGENT_LOOP) },
        ),
  ),
  ifOverridden(`${ROLLOUT}.calculate_log_probs`, ({ path, value }) =>
    value === false
      ? fail(
          "No log-prob of the engine would be known",
          "What trains is checked against what was sampled; a rollout without log-probs is none.",
          { fix: set(path, true) },
        )
      : null,
  ),
  ifOverridden("trainer.use_v1", ({ path, value }, { algorithm }) => {
    const mode = algorithm.trainer_mode;
    const wanted = mode !== "v0";
    if (SINGLE_OUTPUT_MODES.includes(mode) && mode !== "v0") return null;
    return value === wanted
      ? null
      : fail(
          `This is not ${mode}`,
          `${mode} is verl's trainer with trainer.use_v1=${wanted}. Another one is chosen by algorithm.trainer_mode.`,
          { fix: set(path, wanted) },
        );
  }),
  ifOverridden("rollout.total_rollout_steps", ({ path, value }, spec) => {
    const wanted = totalRolloutSteps(spec);
    return spec.algorithm.trainer_mode !== "fully_async" || Number(value) >= wanted
      ? null
      : fail(
          "The rollouts end before the last step",
          `${spec.trainer.total_training_steps} steps take ${wanted} prompts, and rollouts would end after ${value}.`,
          { fix: set(path, wanted) },
        );
  }),
  ifOverridden("trainer.default_local_dir", ({ path }) =>
    warn(
      "LiveRL will not find the checkpoints",
      "It looks for them in the run's own folder: none is listed, resumed or merged from elsewhere.",
      { field: path },
    ),
  ),
  ...["LIVERL_RUN_ID", "LIVERL_RUNNER_URL", "LIVERL_RUNNER_TOKEN", "LIVERL_WORKER_TOKEN"].map(
    (name) =>
      ifInEnv(name, () =>
        fail(
          `${name} would take the place of this run's own`,
          "LiveRL writes it for each run: leave it out.",
          { field: "env" },
        ),
      ),
  ),
  ...["PROXY_SERVER_URL", "LIVERL_PROXY_ACTOR", "LIVERL_PROXY_MODE"].map((name) =>
    ifInEnv(name, () =>
      warn(
        `${name} goes before the run's own proxy`,
        "Its workers dial in where the variable says. Only right where that leads to LiveRL's proxy by another way, such as a tunnel.",
        { field: "env" },
      ),
    ),
  ),
  ifInEnv("VERL_FILE_LOGGER_PATH", (spec) =>
    (spec.driver === "local-verl" ? fail : warn)(
      "Metrics would go elsewhere",
      "LiveRL reads verl's file logger where it has put it itself: leave this variable out.",
      { field: "env" },
    ),
  ),
];
