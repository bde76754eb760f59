import fc from "fast-check";
import { expect, test } from "vitest";
import { effectiveSpec, withValue } from "#launch/effective-spec.ts";
import { ENVIRONMENT_NAMES } from "#launch/environment/environment-names.ts";
import { parseShell } from "#launch/environment/parse-shell.ts";
import { specFromEnvironment } from "#launch/environment/spec-from-environment.ts";
import { LOCAL_VERL_DEFAULTS } from "#launch/verl-defaults.ts";

const SCRIPT = `#!/usr/bin/env bash
# TRAIN_BSZ=999 is not meant
export TRAIN_BSZ=8 N_RESP=4
staleness_threshold=\${staleness_threshold:-0.5}
partial_rollout=True; rollout_is=null
TRAJ_FILTER_ENABLE=True
TRAJ_FILTER_DROP_REASONS="timeout,env_setup_failed"
USE_NEW_VERL=1
NEW_VERL_DIR='/src/verl opd'
CKPTS_DIR="$HOME/ckpts"
HARBOR_AGENT_NAME=null HARBOR_AGENT_IMPORT_PATH=agents.own:Agent
HF_TOKEN=hf_abc NCCL_DEBUG=INFO SOMETHING_ELSE=3
python3 -m verl.trainer.main_ppo \\
  trainer.nnodes=2 \\
  +actor_rollout_ref.rollout.engine_kwargs.vllm.max_num_seqs=64 \\
  data.train_files=['/d/a.parquet','/d/b.parquet']
`;

test("a launch script's assignments, its defaults and its Hydra arguments", () => {
  const { values, unread } = parseShell(SCRIPT);
  expect(values).toMatchObject({
    TRAIN_BSZ: "8",
    N_RESP: "4",
    staleness_threshold: "0.5",
    partial_rollout: "True",
    rollout_is: "null",
    TRAJ_FILTER_DROP_REASONS: "timeout,env_setup_failed",
    NEW_VERL_DIR: "/src/verl opd",
    "trainer.nnodes": "2",
  });
  // What only the shell can expand is nobody's value.
  expect(values).not.toHaveProperty("CKPTS_DIR");
  expect(unread).toEqual({ CKPTS_DIR: "$HOME" });
});

test("they are values of a spec in its own words, and the rest is told", () => {
  const { values, notes } = specFromEnvironment(parseShell(SCRIPT));
  expect(Object.fromEntries(values.map(({ path, value }) => [path, value]))).toEqual({
    "batch.train_batch_size": 8,
    "batch.n": 4,
    "async.staleness_threshold": 0.5,
    "async.partial_rollout": true,
    "algorithm.rollout_is": null,
    "trajectory_filter.enable": true,
    "trajectory_filter.drop_reasons": ["timeout", "env_setup_failed"],
    "verl.path": "/src/verl opd",
    "rollout.agent": "agents.own:Agent",
    "env.NCCL_DEBUG": "INFO",
    "algorithm.trainer_mode": "sync",
    "layout.nnodes": 2,
    "overrides.+actor_rollout_ref.rollout.engine_kwargs.vllm.max_num_seqs": 64,
    "data.train_files": ["/d/a.parquet", "/d/b.parquet"],
    "data.train_harbor_dir": null,
  });
  const said = new Map(notes.map(({ name, message }) => [name, message]));
  expect(said.get("HF_TOKEN")).toMatch(/secret/);
  expect(said.get("SOMETHING_ELSE")).toMatch(/not known/);
  expect([...said.keys()]).toHaveLength(2);
});

test("a list is a list and a map a map, in JSON and in Hydra's words", () => {
  const script = `trainer.logger='["console","wandb"]' "+lora.target_modules=[q_proj,v_proj]" +sizes=[1,2.5,true]`;
  const { values } = specFromEnvironment(parseShell(`${script} a.b=[ a.c='{x: 1}' a.d=[[1],2]`));
  expect(Object.fromEntries(values.map(({ path, value }) => [path, value]))).toMatchObject({
    "overrides.trainer.logger": ["console", "wandb"],
    "overrides.+lora.target_modules": ["q_proj", "v_proj"],
    "overrides.a.b": "[",
    "overrides.a.c": { x: 1 },
    "overrides.a.d": [[1], 2],
  });
});

test("what only the shell knows is told where it matters", () => {
  const { values, notes } = specFromEnvironment(
    parseShell(
      "N=$(nproc) TRAIN_BSZ=$((2 * N)) trainer.nnodes=${WORLD_SIZE} n_gpus=8\ntrainer.n_gpus_per_node=$n_gpus",
    ),
  );
  expect(values.map(({ path, value }) => [path, value])).toEqual([["layout.n_gpus_per_node", 8]]);
  expect(notes).toEqual([
    { name: "TRAIN_BSZ", message: "only the shell knows $((2 * N)): fill it in" },
    { name: "trainer.nnodes", message: "only the shell knows ${WORLD_SIZE}: fill it in" },
  ]);
});

test.each([
  ['\'data.train_files=["/a b","c"]\'', { "data.train_files": '["/a b","c"]' }],
  ['"trainer.project_name=my run"', { "trainer.project_name": "my run" }],
  ["A=x; B=$A/y C=${B}-z D=\"${A}\"'$A'", { A: "x", B: "x/y", C: "x/y-z", D: "x$A" }],
  ["A=1 A=2 # A=3\nB='#' C=a#b", { A: "2", B: "#", C: "a#b" }],
  ["A=a\\ b\\\nc", { A: "a bc" }],
  ['A="unclosed\nB=2', { A: "unclosed", B: "2" }],
  ["A='unclosed\nB=2", { A: "unclosed", B: "2" }],
  ['A=${B:-"two words"}', { A: "two words" }],
  ['A=$ B="$"', { A: "$", B: "$" }],
  ["+a.b/c@d=1 ~x.y=2 a==b ==c", { "+a.b/c@d": "1", "~x.y": "2", a: "=b" }],
])("words of the shell: %s", (script, values) => {
  expect(parseShell(script)).toMatchObject({ values, unread: {} });
  expect(Object.keys(parseShell(script).values)).toEqual(Object.keys(values));
});

test("any text is read without an error, and soon", () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 300, unit: fc.constantFrom(...`"'\\$\`{}()= \n#aA0.`) }),
      (script) => {
        parseShell(script);
      },
    ),
    { numRuns: 2_000 },
  );
  const doubled = parseShell(`A=12345678\n${"A=$A$A\n".repeat(40)}${"B=$A\n".repeat(60)}`);
  expect(doubled.unread).toHaveProperty("A");
  for (const unit of ['"', "'", "$", "`", "$(", "${", "\\\n", 'a="', "=[", "#"]) {
    const began = performance.now();
    parseShell(unit.repeat(200_000 / unit.length));
    expect(performance.now() - began, unit).toBeLessThan(2_000);
  }
});

test.each([
  [{ TRAIN_BSZ: "many" }, /does not take many/],
  [{ rollout_is: "sentence" }, /does not take sentence/],
  [{ HARBOR_AGENT_NAME: "aider" }, /does not take aider: it has mini, claude-code, .*terminus-2/],
  [{ HARBOR_AGENT_IMPORT_PATH: "agents.own.Agent" }, /does not take .*: it is module\.path:Class/],
  [{ USE_NEW_VERL: "1" }, /NEW_VERL_DIR/],
])("%o is not taken over, and a line says so", (env, message) => {
  const { values, notes } = specFromEnvironment({ values: env, unread: {} });
  expect(values).toEqual([]);
  expect(notes[0]?.message).toMatch(message);
});

test.each([
  ["TRAJ_FILTER_ENABLE", "1", { path: "trajectory_filter.enable", value: true }],
  ["TRAJ_FILTER_ENABLE", "off", { path: "trajectory_filter.enable", value: false }],
  ["USE_NEW_VERL", "off", { path: "verl.path", value: null }],
])("%s=%s is a yes or a no", (name, value, taken) => {
  const { values } = specFromEnvironment({ values: { [name]: value }, unread: {} });
  expect(values).toEqual([{ ...taken, name }]);
});

test("a script with the line ends of Windows", () => {
  expect(parseShell("A=1\r\nB='x y'\r\npython -m verl a.b=2 \\\r\n  c=3\r\n").values).toMatchObject(
    {
      ...{ A: "1", B: "x y", "a.b": "2", c: "3" },
    },
  );
});

test("an agent by its name goes before one by its import path, and both are told", () => {
  const { values, notes } = specFromEnvironment({
    values: { HARBOR_AGENT_NAME: "oracle", HARBOR_AGENT_IMPORT_PATH: "agents.own:Agent" },
    unread: {},
  });
  expect(values).toEqual([{ path: "rollout.agent", value: "oracle", name: "HARBOR_AGENT_NAME" }]);
  expect(notes).toEqual([
    { name: "HARBOR_AGENT_IMPORT_PATH", message: "HARBOR_AGENT_NAME goes before it" },
  ]);
});

test("an import path counts where the name is null or not there", () => {
  const names: Record<string, string>[] = [
    {},
    { HARBOR_AGENT_NAME: "null" },
    { HARBOR_AGENT_NAME: "" },
  ];
  for (const name of names) {
    const values = { ...name, HARBOR_AGENT_IMPORT_PATH: "agents.own:Agent" };
    expect(specFromEnvironment({ values, unread: {} })).toEqual({
      values: [
        { path: "rollout.agent", value: "agents.own:Agent", name: "HARBOR_AGENT_IMPORT_PATH" },
      ],
      notes: [],
    });
  }
});

test("USE_NEW_VERL=0 is the installed verl", () => {
  const env = { USE_NEW_VERL: "0", NEW_VERL_DIR: "/x" };
  expect(specFromEnvironment({ values: env, unread: {} }).values).toEqual([
    { path: "verl.path", value: null, name: "USE_NEW_VERL" },
  ]);
});

test("every name leads to a value of a spec", () => {
  for (const [name, path] of Object.entries(ENVIRONMENT_NAMES)) {
    const [section = "", key = ""] = path.split(".");
    const inner = (LOCAL_VERL_DEFAULTS as unknown as Record<string, unknown>)[section];
    if (key === "") expect(inner, name).toBeTypeOf("string");
    else expect(inner, name).toHaveProperty(key);
  }
  expect(withValue(LOCAL_VERL_DEFAULTS, "batch.n", 0)).toBeNull();
  expect(effectiveSpec(LOCAL_VERL_DEFAULTS).shadows).toEqual([]);
});

const read = (script: string) => specFromEnvironment(parseShell(script));
const valuesOf = (script: string) =>
  Object.fromEntries(read(script).values.map(({ path, value }) => [path, value]));

test("what a script exports goes to verl's processes, its own variables do not", () => {
  const script = `
    export PYTHONPATH=/src/verl:$PYTHONPATH MY_FLAG=1 PATH=/x:/y HOME=/me
    GPUS=8
    LATER=2; export LATER
    VLLM_USE_V1=1
    env FROM_ENV=3 NCCL_IB_DISABLE=1 python3 train.py
    BEFORE=4 AND=5 python3 train.py
    ONLY_HERE=6
    export ROOT=$(pwd)
  `;
  expect(valuesOf(script)).toEqual({
    "env.PYTHONPATH": "/src/verl",
    "env.MY_FLAG": "1",
    "env.LATER": "2",
    "env.VLLM_USE_V1": "1",
    "env.FROM_ENV": "3",
    "env.NCCL_IB_DISABLE": "1",
    "env.BEFORE": "4",
    "env.AND": "5",
  });
  const said = new Map(read(script).notes.map(({ name, message }) => [name, message]));
  expect([...said.keys()].sort()).toEqual(["GPUS", "HOME", "ONLY_HERE", "PATH", "ROOT"]);
  expect(said.get("ROOT")).toMatch(/only the shell knows/);
});

test("the run has the experiment's name, and LiveRL's own keys are not taken over", () => {
  const script = `python3 -m verl.experimental.fully_async_policy.fully_async_main \\
    trainer.project_name='GRPO on SWE' trainer.experiment_name=Qwen3_8B/v2 \\
    trainer.default_local_dir=/ckpt trainer.total_epochs=15 trainer.use_v1=False \\
    actor_rollout_ref.rollout.agent.agent_loop_config_path=/loops.yaml \\
    trainer.logger='["console","wandb"]'`;
  expect(valuesOf(script)).toEqual({
    "algorithm.trainer_mode": "fully_async",
    project: "grpo-on-swe",
    name: "qwen3_8b-v2",
    "overrides.trainer.logger": ["console", "wandb"],
  });
  expect(read(script).notes.map(({ name }) => name)).toEqual([
    "trainer.default_local_dir",
    "trainer.total_epochs",
    "trainer.use_v1",
    "actor_rollout_ref.rollout.agent.agent_loop_config_path",
  ]);
  const v0 = "python -m verl.trainer.main_ppo trainer.use_v1=False";
  expect(valuesOf(v0)).toEqual({ "algorithm.trainer_mode": "v0" });
  const separate = "python -m verl.trainer.main_ppo trainer.v1.trainer_mode=separate_async";
  expect(valuesOf(separate)).toEqual({ "algorithm.trainer_mode": "separate_async" });
});

test("files of a script go before a folder of the form, a folder of the script before its files", () => {
  expect(valuesOf("data.val_files=/v.parquet train_harbor_dir=/t data.train_files=/f")).toEqual({
    "data.val_files": ["/v.parquet"],
    "data.val_harbor_dir": null,
    "data.train_harbor_dir": "/t",
    "data.train_files": ["/f"],
  });
});

test("a place of LiveRL's own that only the shell knows is told as its own", () => {
  const { notes } = read("D=$(pwd) trainer.default_local_dir=$D/ckpt");
  expect(notes[0]?.message).toMatch(/LiveRL keeps a run's checkpoints/);
});

test("a script with line ends of Windows says the same", () => {
  expect(read(SCRIPT.replaceAll("\n", "\r\n"))).toEqual(read(SCRIPT));
});
