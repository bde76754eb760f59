import type { OverrideValue } from "@liverl/contract/override-value";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import {
  AGENT_LOOP,
  buildVerlOverrides,
  totalRolloutSteps,
} from "#drivers/verl/build-verl-overrides.ts";
import { placeOfOverride } from "#launch/effective-spec.ts";
import { fail, pass, takeOut, type VerlRule, warn } from "#launch/verl-rules/verl-rule.ts";

const AGENT = "actor_rollout_ref.rollout.agent";
/** Keys of verl's config that LiveRL sets for itself: without them a run trains, and LiveRL sees or does nothing of it. */
export const OWN_KEY_RULES: readonly VerlRule[] = [
  {
    id: "own-agent-loops",
    judge: (spec) => {
      const path = placeOfOverride(spec, `${AGENT}.agent_loop_config_path`);
      return path === undefined
        ? null
        : fail(
            "Rollouts would not come to LiveRL",
            "agent_loop_config_path names the agent loop that asks LiveRL for rollouts: with another file no agent runs here, and nothing is recorded.",
            { fix: takeOut(path) },
          );
    },
  },
  {
    id: "own-default-loop",
    judge: (spec) => {
      const path = placeOfOverride(spec, `${AGENT}.default_agent_loop`);
      if (path === undefined || valueAt(spec, path) === AGENT_LOOP) return null;
      return fail(
        "Rollouts would go to another agent loop",
        `default_agent_loop is ${AGENT_LOOP} in a run of LiveRL: rows that name no loop would not come to it.`,
        { fix: takeOut(path) },
      );
    },
  },
  {
    id: "own-loop-manager",
    judge: (spec) => {
      const path = placeOfOverride(spec, `${AGENT}.agent_loop_manager_class`);
      if (path === undefined || valueAt(spec, path) === null) return null;
      return warn(
        "Another manager hands out the rollouts",
        "LiveRL's agent loop runs only where that manager makes agent loops by name, as verl's own does.",
        { fix: takeOut(path) },
      );
    },
  },
  {
    id: "own-checkpoints",
    judge: (spec) => {
      const path = placeOfOverride(spec, "trainer.default_local_dir");
      return path === undefined
        ? null
        : warn(
            "Checkpoints go where LiveRL does not look",
            "They are found in the run's own folder: with another trainer.default_local_dir there is no resume, fork, merge or download.",
            { fix: takeOut(path) },
          );
    },
  },
  {
    id: "own-trainer",
    judge: (spec) => {
      const path = placeOfOverride(spec, "trainer.use_v1");
      if (path === undefined) return null;
      const mode = spec.algorithm.trainer_mode;
      if (mode === "one_step_off" || mode === "fully_async")
        return warn(
          "trainer.use_v1 has no effect",
          `${mode} is a program of its own, which does not read it.`,
          { fix: takeOut(path) },
        );
      const wanted = mode !== "v0";
      if (valueAt(spec, path) === wanted) return null;
      return fail(
        `This would not be the trainer ${mode}`,
        `${mode} runs with trainer.use_v1=${wanted ? "True" : "False"}: the override chooses another trainer than the form says.`,
        { fix: takeOut(path) },
      );
    },
  },
  {
    id: "own-rollout-steps",
    judge: (spec) => {
      if (spec.algorithm.trainer_mode !== "fully_async") return null;
      const path = placeOfOverride(spec, "rollout.total_rollout_steps");
      if (path === undefined) return null;
      const planned = totalRolloutSteps(spec);
      const asked = valueAt(spec, path);
      if (asked === planned) return null;
      const why = `${spec.trainer.total_training_steps} steps take ${planned} prompts; verl would roll out ${asked === null ? "whole epochs" : String(asked)}.`;
      return typeof asked === "number" && asked > planned
        ? warn("Rollouts go on after the last step", why, { fix: takeOut(path) })
        : fail("Rollouts end before the last step", why, { fix: takeOut(path) });
    },
  },
  {
    id: "own-sections",
    judge: (spec) => {
      const own = ownKeys(spec);
      for (const [key, value] of Object.entries(spec.overrides)) {
        const bare = key.replace(/^[+~]+/, "");
        if (!own.some((each) => each.startsWith(`${bare}.`))) continue;
        const path = `overrides.${key}`;
        if (key.startsWith("~"))
          return fail(`${bare} is deleted whole`, "LiveRL sets keys of it: verl would not start.", {
            fix: takeOut(path),
          });
        const leaves = flatten(bare, value);
        if (leaves !== null && Object.keys(leaves).length > 0)
          return fail(
            `${bare} is given as a map`,
            "Its keys are not checked against the form then, and may put LiveRL's own settings aside. Write each key by itself.",
            { fix: takeOut(path, leaves, "Write each key") },
          );
      }
      return null;
    },
  },
  {
    id: "own-logger",
    judge: (spec) => {
      const path = placeOfOverride(spec, "trainer.logger");
      if (path === undefined) return null;
      return judgeLogger(spec, path);
    },
  },
];

/** utils/tracking.py of verl 0.9.1. */
const LOGGERS = [
  "wandb",
  "mlflow",
  "swanlab",
  "vemlp_wandb",
  "tensorboard",
  "console",
  "clearml",
  "trackio",
  "file",
  "rl_insight",
];

function judgeLogger(spec: VerlSpec, path: string) {
  const value = valueAt(spec, path);
  const names = (Array.isArray(value) ? value : [value]).filter((name) => name !== null);
  const known = names.map(String).filter((name) => LOGGERS.includes(name));
  const unknown = names.map(String).filter((name) => !LOGGERS.includes(name));
  const mended = (...wanted: string[]) => ({
    label: `Log to ${[...new Set([...known, ...wanted])].join(", ")}`,
    path,
    value: [...new Set([...known, ...wanted])],
  });
  if (path.includes("~"))
    return fail("verl logs nothing without trainer.logger", "It would not start.", {
      fix: takeOut(path),
    });
  if (unknown.length > 0)
    return fail(`verl knows no logger ${unknown.join(", ")}`, `It takes ${LOGGERS.join(", ")}.`, {
      fix: mended("console", "file"),
    });
  if (!names.includes("file"))
    return fail(
      "LiveRL reads verl's file logger",
      "trainer.logger must have file in it, or this run shows no metrics.",
      { fix: mended("file") },
    );
  if (spec.driver !== "local-verl" && !names.includes("console"))
    return warn(
      "Metrics would depend on a shared disk",
      "Where LiveRL does not see the run's folder it reads the lines that verl's console logger prints.",
      { fix: mended("console") },
    );
  return pass("Loggers", `${names.join(", ")}.`, { field: path });
}

const NOWHERE = {
  agentLoops: "",
  checkpoints: "",
  rolloutDumps: null,
  validationDumps: null,
  hydra: "",
  trainFiles: [],
  valFiles: [],
};

/** Every key that LiveRL writes for this spec. */
function ownKeys(spec: VerlSpec): string[] {
  return buildVerlOverrides({ ...spec, overrides: {} }, NOWHERE, null).map(([key]) => key);
}

function valueAt(spec: VerlSpec, path: string): OverrideValue | undefined {
  return spec.overrides[path.slice("overrides.".length)];
}

/** Places of a map's values, each with its whole key, which `++` adds or replaces; null where it is no map. */
function flatten(key: string, value: OverrideValue): Record<string, OverrideValue> | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const leaves: Record<string, OverrideValue> = {};
  for (const [inner, each] of Object.entries(value)) {
    const place = `${key}.${inner}`;
    const deeper = flatten(place, each);
    if (deeper === null) leaves[`overrides.++${place}`] = each;
    else Object.assign(leaves, deeper);
  }
  return leaves;
}
