import type { VerlSpec } from "@liverl/contract/verl-launch";
import { AGENT_LOOP } from "#drivers/verl/build-verl-overrides.ts";
import { readOverride } from "#launch/effective-spec.ts";
import type {
  DataEvidence,
  HarborEvidence,
  VerlEvidence,
} from "#launch/verl-evidence/verl-evidence.ts";
import {
  type Finding,
  fail,
  pass,
  set,
  type VerlRule,
  warn,
} from "#launch/verl-rules/verl-rule.ts";

interface Split {
  name: "train" | "val";
  files: DataEvidence[];
  harbor: HarborEvidence | null;
}

const splits = ({ train, val, trainHarbor, valHarbor }: VerlEvidence): Split[] => [
  { name: "train", files: train, harbor: trainHarbor },
  { name: "val", files: val, harbor: valHarbor },
];

const perSplit = (id: string, judge: (split: Split, spec: VerlSpec) => Finding | null) =>
  (["train", "val"] as const).map(
    (name): VerlRule => ({
      id: `${id}-${name}`,
      judge: (spec, evidence) => {
        const split = splits(evidence).find((each) => each.name === name);
        return split === undefined ? null : judge(split, spec);
      },
    }),
  );

export const DATA_RULES: readonly VerlRule[] = [
  {
    id: "data-train",
    judge: ({ data }) =>
      data.train_files.length === 0 && data.train_harbor_dir === null
        ? fail("There is nothing to train on", "Name data files, or a folder of Harbor tasks.", {
            field: "data.train_files",
          })
        : null,
  },
  {
    id: "data-val",
    judge: ({ data, trainer }) =>
      data.val_files.length > 0 || data.val_harbor_dir !== null
        ? null
        : fail(
            "There is nothing to evaluate on",
            trainer.test_freq > 0 || trainer.val_before_train
              ? "verl opens a validation set in any case, and this run would evaluate."
              : "verl opens a validation set in any case, though this run never evaluates: the training set will do.",
            { field: "data.val_files" },
          ),
  },
  ...perSplit("data-readable", ({ name, files, harbor }) => {
    const broken = [...files, ...(harbor ? [harbor] : [])].find(
      (source) => source.state === "unreadable",
    );
    if (broken?.state === "unreadable")
      return fail(`${broken.path} can not be read`, `${sentence(broken.message)}`, {
        field: broken === harbor ? `data.${name}_harbor_dir` : `data.${name}_files`,
      });
    const away = [...files, ...(harbor ? [harbor] : [])].find(
      (source) => source.state === "elsewhere",
    );
    if (away)
      return warn(
        `${away.path} is not on this machine`,
        "It is checked when the run starts, where the run starts.",
        { field: away === harbor ? `data.${name}_harbor_dir` : `data.${name}_files` },
      );
    if (files.length === 0 && harbor === null) return null;
    return pass(
      name === "train" ? "Training data" : "Evaluation data",
      `${countRows(files, harbor)} tasks in ${files.length + (harbor ? 1 : 0)} ${files.length + (harbor ? 1 : 0) === 1 ? "source" : "sources"}.`,
      { field: `data.${name}_files` },
    );
  }),
  ...perSplit("data-columns", ({ name, files }, spec) => {
    for (const file of files) {
      if (file.state !== "read") continue;
      const wanted = [
        String(readOverride(spec, "data.prompt_key")?.value ?? "prompt"),
        String(readOverride(spec, "data.reward_fn_key")?.value ?? "data_source"),
      ];
      const missing = wanted.filter((column) => !file.columns.includes(column));
      if (missing.length > 0)
        return fail(
          `${file.path} has no column ${missing.join(" and ")}`,
          `It has ${file.columns.join(", ")}. verl finds out when it reads the first row.`,
          { field: `data.${name}_files` },
        );
    }
    return null;
  }),
  ...perSplit("data-task", ({ name, files }, { data }) => {
    for (const file of files) {
      if (file.state !== "read" || namesTask(file, data)) continue;
      return fail(
        `The rows of ${file.path} name no task`,
        "They need a column task_ref or local_task_path, or instance_id together with harbor_root, or a task_path_template of their columns.",
        {
          field:
            file.columns.includes("instance_id") || file.extraInfo.includes("instance_id")
              ? "data.harbor_root"
              : `data.${name}_files`,
        },
      );
    }
    return null;
  }),
  ...perSplit("data-agent-loop", ({ name, files }) => {
    const file = files.find((each) => each.state === "read" && each.columns.includes("agent_name"));
    return file === undefined
      ? null
      : warn(
          `Rows of ${file.path} choose their agent loop`,
          `A row whose agent_name is not ${AGENT_LOOP} goes to another loop of verl, and nothing of it comes to LiveRL. Take the column out.`,
          { field: `data.${name}_files` },
        );
  }),
  {
    id: "data-rows",
    judge: ({ algorithm, batch }, { train, trainHarbor }) => {
      const rows = knownRows(train, trainHarbor);
      if (rows === null || algorithm.trainer_mode === "fully_async") return null;
      if (rows >= batch.train_batch_size) return null;
      return fail(
        "Fewer tasks than a step takes",
        `${rows} tasks, ${batch.train_batch_size} prompts a step: verl drops the last, partial batch and has none left.`,
        { fix: set("batch.train_batch_size", rows) },
      );
    },
  },
  ...perSplit("data-tasks", ({ name, harbor }) =>
    harbor?.state === "read" && harbor.tasks === 0
      ? fail(
          `${harbor.path} has no tasks`,
          "A Harbor task is a folder with a task.toml, and an instruction.md or steps.",
          { field: `data.${name}_harbor_dir` },
        )
      : null,
  ),
  ...perSplit("data-broken-tasks", ({ name, harbor }) => {
    if (harbor?.state !== "read" || harbor.broken.length === 0) return null;
    const { broken, tasks, path } = harbor;
    const shown = broken
      .slice(0, MOST_BROKEN)
      .map(({ path: task, reason }) => `${task}: ${reason}`);
    const more = broken.length - shown.length;
    return fail(
      `${broken.length} of ${tasks} tasks of ${path} are broken`,
      [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("\n"),
      { field: `data.${name}_harbor_dir` },
    );
  }),
];

const MOST_NAMED = 3;
const MOST_BROKEN = 20;

/** Whether the tasks themselves are sound: their own solution solves them, and doing nothing does not. */
export const GATE_RULE: VerlRule = {
  id: "tasks-played",
  judge: ({ data, model }, { trainHarbor, gate }) => {
    const at = { field: "data.train_harbor_dir" };
    if (data.train_harbor_dir === null || trainHarbor?.state !== "read") return null;
    if (gate === null)
      return warn(
        "Nobody has played these tasks yet",
        `A task that its own solution does not solve, or that rewards doing nothing, teaches noise. \`npm run gate -- --model ${model.path} ${data.train_harbor_dir}\` plays 20 of them with oracle and nop.`,
        at,
      );
    const named = (tasks: readonly string[]) =>
      `${tasks.slice(0, MOST_NAMED).join(", ")}${tasks.length > MOST_NAMED ? ` and ${tasks.length - MOST_NAMED} more` : ""}`;
    const faults = [
      ...(gate.unsolved.length > 0
        ? [`Their own solution does not solve ${named(gate.unsolved)}.`]
        : []),
      ...(gate.rewarded.length > 0
        ? [`Doing nothing is rewarded in ${named(gate.rewarded)}.`]
        : []),
      ...(gate.failed.length > 0 ? [`There was no reward in ${named(gate.failed)}.`] : []),
    ];
    const day = gate.at.slice(0, 10);
    return faults.length > 0
      ? warn(
          `${new Set([...gate.unsolved, ...gate.rewarded, ...gate.failed]).size} of ${gate.played} tasks are broken`,
          `${faults.join(" ")} Mend them or take them out, and play them again (last on ${day}).`,
          at,
        )
      : pass("Tasks", `oracle has 1 and nop 0 on ${gate.played} of them, on ${day}.`, at);
  },
};

function namesTask(
  file: Extract<DataEvidence, { state: "read" }>,
  data: VerlSpec["data"],
): boolean {
  const has = (column: string) => file.columns.includes(column) || file.extraInfo.includes(column);
  return (
    has("task_ref") ||
    has("local_task_path") ||
    (has("instance_id") && data.harbor_root !== null) ||
    data.task_path_template !== null
  );
}

/** Tasks of a split; null where one of its sources is not known, or there are none. A folder goes before files. */
export function knownRows(
  files: readonly DataEvidence[],
  harbor: HarborEvidence | null,
): number | null {
  const sources = harbor ? [harbor] : files;
  if (!sources.every((source) => source.state === "read")) return null;
  return countRows(harbor ? [] : files, harbor) || null;
}

function countRows(files: readonly DataEvidence[], harbor: HarborEvidence | null): number {
  const rows = files.reduce((sum, file) => sum + (file.state === "read" ? file.rows : 0), 0);
  return rows + (harbor?.state === "read" ? harbor.tasks : 0);
}

const sentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
