import type { VerlMode } from "@liverl/contract/verl-launch";
import { plain, show, type Text } from "#launch/environment/bash/text.ts";

/** What a command line starts. */
export type Program =
  | { kind: "verl"; name: string; mode: VerlMode; argv: readonly Text[] }
  /** A program of verl that trains no policy by reinforcement: data, evaluation, SFT. */
  | { kind: "verl-tool"; name: string; argv: readonly Text[] }
  /** Another trainer, whose `label` people know. */
  | { kind: "other"; name: string; label: string; argv: readonly Text[] }
  | { kind: "shell"; name: string; argv: readonly Text[] }
  | { kind: "none" };

const VERL_PROGRAMS: Record<string, VerlMode> = {
  "verl.trainer.main_ppo": "sync",
  "verl.trainer.main_ppo_v0": "v0",
  "verl.experimental.one_step_off_policy.main_ppo": "one_step_off",
  "verl.experimental.fully_async_policy.fully_async_main": "fully_async",
  "recipe.one_step_off_policy.main_ppo": "one_step_off",
  "recipe.fully_async_policy.fully_async_main": "fully_async",
};

/** Modules, scripts and programs of other trainers. The first that matches counts. */
const OTHERS: readonly [RegExp, string][] = [
  [/^recipe\.dapo\b|main_dapo$/, "DAPO's recipe"],
  [/^recipe\./, "a recipe of verl"],
  [/^rllm\b|train_agent_ppo$/, "rLLM"],
  [/^agentlightning\b/, "Agent Lightning"],
  [/^(?:openrlhf|openrlhf_cli)\b/, "OpenRLHF"],
  [/^(?:trl|trl\.[\w.]+)$|open_r1/, "TRL"],
  [
    /^(?:nemo_rl|examples\.run_(?:grpo|sft|dpo|distillation)\w*)\b|(?:^|\/)run_grpo\w*\.py$/,
    "NeMo-RL",
  ],
  [/^(?:skyrl|skyrl_train|skyrl_gym|skyrl_agent|integrations\.\w+\.entrypoints)\b|skyrl/, "SkyRL"],
  [/^prime_rl\b|prime-rl/, "prime-rl"],
  [/^roll\.|start_(?:rlvr|agentic|dpo|sft|distill|reward_fl)/, "ROLL"],
  [/^(?:areal|realhf)\b/, "AReaL"],
  [/^(?:miles)\b|\bmiles\//, "miles"],
  [/^slime\b|\bslime\//, "slime"],
  [/^(?:swift|swift\.[\w.]+)$/, "ms-swift"],
  [/^(?:llamafactory-cli|llamafactory\b)/, "LLaMA-Factory"],
  [/^(?:tune|torchtune\b)/, "torchtune"],
  [/^(?:axolotl)\b/, "Axolotl"],
];
/** Options that slime and miles have. */
const SLIME_FLAG =
  /^--(?:rollout-batch-size|n-samples-per-prompt|hf-checkpoint|advantage-estimator|actor-num-nodes|sglang-\w|ref-load|rollout-function-path)/;
const VERL_KEY =
  /^[+~]{0,2}(?:actor_rollout_ref|algorithm|critic|data|trainer|reward|reward_model|async_training)\.[\w.]+=/;
const PYTHON = /^python(?:\d(?:\.\d+)?)?$/;
const PYTHON_VALUED = new Set(["-X", "-W", "--check-hash-based-pycs"]);

/** What an unwrapped command line is. Pure. */
export function recogniseProgram(argv: readonly Text[]): Program {
  const words = argv.map((text) => plain(text) ?? show(text));
  const first = words[0] ?? "";
  // A list of overrides without a program.
  if (/^[+~]{0,2}[A-Za-z_][\w./@-]*=/.test(first)) return { kind: "none" };
  const base = first.slice(first.lastIndexOf("/") + 1);
  if (/^(?:bash|sh|zsh|sbatch)$/.test(base) && words.length > 1)
    return { kind: "shell", name: words[1] ?? "", argv: argv.slice(2) };
  if (/\.(?:sh|slurm|sbatch)$/.test(first))
    return { kind: "shell", name: first, argv: argv.slice(1) };
  if (!PYTHON.test(base)) {
    if (base === "uv" || base === "rl")
      return nameOther(base === "rl" ? "prime-rl" : "", words, argv.slice(1));
    return byName(base, first, argv.slice(1), words);
  }
  let at = 1;
  for (; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "-m") return byName(words[at + 1] ?? "", "", argv.slice(at + 2), words);
    if (word.startsWith("-m") && word.length > 2)
      return byName(word.slice(2), "", argv.slice(at + 1), words);
    if (word === "-c" || word === "-") return { kind: "none" };
    if (!word.startsWith("-")) break;
    if (PYTHON_VALUED.has(word)) at += 1;
  }
  const script = words[at];
  if (script === undefined) return { kind: "none" };
  return byName(moduleOf(script), script, argv.slice(at + 1), words);
}

/** `verl/trainer/main_ppo.py` runs the module of that name, wherever the checkout is. */
function moduleOf(script: string): string {
  const path = script
    .replace(/\.py$/, "")
    .split("/")
    .filter((part) => part !== "." && part !== "");
  const from = path.findLastIndex((part) => part === "verl" || part === "recipe");
  return path.slice(from === -1 ? 0 : from).join(".");
}

function byName(
  module: string,
  script: string,
  argv: readonly Text[],
  words: readonly string[],
): Program {
  const name = script === "" ? module : script;
  const mode = VERL_PROGRAMS[module];
  if (mode !== undefined) return { kind: "verl", name: module, mode, argv };
  if (/^verl\./.test(module)) return { kind: "verl-tool", name: module, argv };
  if (words.some((word) => SLIME_FLAG.test(word)))
    return { kind: "other", name, label: "slime or miles", argv };
  const known = OTHERS.find(([pattern]) => pattern.test(module) || pattern.test(script));
  if (known) return { kind: "other", name, label: known[1], argv };
  if (words.filter((word) => VERL_KEY.test(word)).length >= 2)
    return { kind: "other", name, label: "a program of its own on verl's config", argv };
  return { kind: "none" };
}

function nameOther(label: string, words: readonly string[], argv: readonly Text[]): Program {
  return label === ""
    ? { kind: "none" }
    : { kind: "other", name: words.slice(0, 3).join(" "), label, argv };
}

export const isVerlKey = (word: string): boolean => VERL_KEY.test(word);
