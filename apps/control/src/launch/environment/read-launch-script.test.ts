import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effectiveSpec, withValue } from "#launch/effective-spec.ts";
import { ENVIRONMENT_NAMES } from "#launch/environment/environment-names.ts";
import { readLaunchScript } from "#launch/environment/read-launch-script.ts";
import { LOCAL_VERL_DEFAULTS } from "#launch/verl-defaults.ts";

const read = (text: string, given: Omit<Parameters<typeof readLaunchScript>[0], "text"> = {}) =>
  readLaunchScript({ text, ...given });
const valuesOf = (text: string, given = {}) =>
  Object.fromEntries(read(text, given).values.map(({ path, value }) => [path, value]));
const notesOf = (text: string, given = {}) =>
  Object.fromEntries(read(text, given).notes.map(({ name, message }) => [name, message]));
const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, "__fixtures__", "scripts", `${name}.sh`), "utf8");

const VARIABLES = `#!/usr/bin/env bash
# TRAIN_BSZ=999 is a comment
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
trainer.nnodes=2 \\
  +actor_rollout_ref.rollout.engine_kwargs.vllm.max_num_seqs=64 \\
  data.train_files=['/d/a.parquet','/d/b.parquet']
`;

describe("a list of variables and overrides", () => {
  test("names of a spec's own fields become its values, and the rest is noted", () => {
    expect(valuesOf(VARIABLES)).toEqual({
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
      "layout.nnodes": 2,
      "overrides.+actor_rollout_ref.rollout.engine_kwargs.vllm.max_num_seqs": 64,
      "data.train_files": ["/d/a.parquet", "/d/b.parquet"],
      "data.train_harbor_dir": null,
    });
    expect(notesOf(VARIABLES)).toMatchObject({
      HF_TOKEN: expect.stringMatching(/secret/),
      SOMETHING_ELSE: expect.stringMatching(/not known/),
      CKPTS_DIR: expect.stringMatching(/run's own folder/),
    });
    expect(read(VARIABLES).source).toBe("variables");
  });

  test("line ends of Windows change nothing", () => {
    expect(read(VARIABLES.replaceAll("\n", "\r\n"))).toEqual(read(VARIABLES));
  });

  test("a value that only the shell knows is noted where it matters", () => {
    const text =
      "N=$(nproc); TRAIN_BSZ=$((2 * N))\ntrainer.nnodes=${WORLD_SIZE} n_gpus=8\ntrainer.n_gpus_per_node=$n_gpus";
    expect(valuesOf(text)).toMatchObject({ "layout.n_gpus_per_node": 8 });
    expect(notesOf(text)).toMatchObject({
      TRAIN_BSZ: expect.stringContaining("known only where the script runs: fill it in"),
      "trainer.nnodes": "$WORLD_SIZE is known only where the script runs: fill it in",
    });
    expect(valuesOf(text, { variables: { WORLD_SIZE: "4" } })).toMatchObject({
      "layout.nnodes": 4,
    });
  });

  test("files go before a folder of the form, a folder of the script before its files", () => {
    expect(valuesOf("data.val_files=/v.parquet train_harbor_dir=/t data.train_files=/f")).toEqual({
      "data.val_files": ["/v.parquet"],
      "data.val_harbor_dir": null,
      "data.train_harbor_dir": "/t",
      "data.train_files": ["/f"],
    });
  });

  test.each([
    ["TRAIN_BSZ=many", /does not take many/],
    ["rollout_is=sentence", /does not take sentence/],
    ["HARBOR_AGENT_NAME=aider", /does not take aider: it has mini, claude-code, .*terminus-2/],
    ["HARBOR_AGENT_IMPORT_PATH=agents.own.Agent", /does not take .*: it is module\.path:Class/],
    ["USE_NEW_VERL=1", /NEW_VERL_DIR/],
    ["HARBOR_AGENT_NAME=oracle HARBOR_AGENT_IMPORT_PATH=a.b:C", /HARBOR_AGENT_NAME goes before it/],
  ])("%s is noted", (text, message) => {
    expect(
      read(text)
        .notes.map((note) => note.message)
        .join("\n"),
    ).toMatch(message);
  });

  test.each([
    ["TRAJ_FILTER_ENABLE=1", { "trajectory_filter.enable": true }],
    ["TRAJ_FILTER_ENABLE=off", { "trajectory_filter.enable": false }],
    ["USE_NEW_VERL=off NEW_VERL_DIR=/x", { "verl.path": null }],
    ["HARBOR_AGENT_NAME= HARBOR_AGENT_IMPORT_PATH=a.b:C", { "rollout.agent": "a.b:C" }],
    ["HARBOR_AGENT_NAME=oracle", { "rollout.agent": "oracle" }],
  ])("%s", (text, values) => {
    expect(valuesOf(text)).toEqual(values);
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
});

describe("a script with a training command", () => {
  test("a default that holds a variable in quotes ends nothing", () => {
    const text = fixture("01-defaults-in-quotes");
    const values = {
      "algorithm.trainer_mode": "fully_async",
      "lengths.max_prompt_length": 2048,
      "lengths.max_response_length": 8192,
      "optim.lr": 1e-6,
      "batch.n": 16,
    };
    expect(valuesOf(text)).toEqual(values);
    expect(read(text).unknowns).toEqual([
      { name: "HOME", line: 8, keys: ["data.train_files", "actor_rollout_ref.model.path"] },
    ]);
    expect(valuesOf(text, { variables: { HOME: "/home/u" } })).toEqual({
      ...values,
      "data.train_files": ["/home/u/runs/data/train.parquet"],
      "data.train_harbor_dir": null,
      "model.path": "/home/u/runs/models/some-7b",
    });
  });

  test("a variable without quotes is split, and += appends", () => {
    expect(valuesOf(fixture("02-arguments-in-a-string"))).toMatchObject({
      "overrides.trainer.foo": 8,
      "overrides.trainer.bar": 4,
      "layout.nnodes": 2,
    });
  });

  test("the branch that runs counts, and what stands in the others is listed with its line", () => {
    const text = fixture("03-case-of-devices");
    expect(valuesOf(text)).toEqual({
      "algorithm.trainer_mode": "sync",
      "batch.train_batch_size": 1024,
      "engine.param_offload": false,
      "layout.n_gpus_per_node": 8,
    });
    expect(read(text).notes).toContainEqual({
      ...{ name: "actor_rollout_ref.actor.use_torch_compile", line: 13, isMinor: true },
      ...{ message: "stands in a branch that is not taken", choice: null },
    });
    expect(valuesOf(text, { variables: { DEVICE: "npu" } })).toMatchObject({
      "batch.train_batch_size": 16,
      "layout.n_gpus_per_node": 16,
      "engine.param_offload": true,
      "env.HCCL_CONNECT_TIMEOUT": "1500",
      "overrides.actor_rollout_ref.actor.use_torch_compile": false,
    });
  });

  test.each([
    ["04-model-engine", "megatron"],
    ["05-config-name", "megatron"],
  ])("the engine of %s", (name, engine) => {
    expect(valuesOf(fixture(name))).toMatchObject({
      "engine.name": engine,
      "engine.tensor_parallel": 2,
      "engine.pipeline_parallel": 2,
    });
  });

  test.each([
    ["model_engine=veomni", "veomni"],
    ["model_engine=dp", "fsdp"],
    ["model_engine=dp actor_rollout_ref.actor.strategy=fsdp2", "fsdp2"],
    ["actor_rollout_ref.actor.fsdp_config.strategy=fsdp2", "fsdp2"],
    ["--config-name ppo_veomni_trainer", "veomni"],
    ["--config-name=ppo_trainer", undefined],
    ["model_engine=torchtitan", undefined],
  ])("%s", (args, engine) => {
    expect(valuesOf(`python3 -m verl.trainer.main_ppo ${args}`)["engine.name"]).toBe(engine);
  });

  test("an engine that a spec has not, and a config of one's own, are noted", () => {
    const text = "python3 -m verl.trainer.main_ppo model_engine=torchtitan --config-name mine";
    expect(notesOf(text)).toMatchObject({
      model_engine: expect.stringContaining("and not torchtitan"),
      "--config-name": expect.stringContaining("mine is another file"),
    });
  });

  test("a branch that only the machine decides is a choice, and no value of it is taken silently", () => {
    const text = `DEVICE=\${DEVICE:-$(python3 -c 'import torch_npu' 2>/dev/null && echo npu || echo gpu)}
if [ "$DEVICE" = npu ]; then BSZ=16; else BSZ=1024; fi
python3 -m verl.trainer.main_ppo data.train_batch_size=$BSZ`;
    const { choices, notes, values } = read(text);
    expect(choices).toEqual([
      {
        ...{ id: "1:20", line: 1, taken: 1, isChosen: false },
        condition: "python3 -c 'import torch_npu' 2>/dev/null",
        options: [
          {
            ...{ label: "succeeds", stops: false },
            changes: [{ path: "batch.train_batch_size", value: 16, name: "data.train_batch_size" }],
          },
          { label: "fails", changes: [], stops: false },
        ],
      },
    ]);
    expect(values).toContainEqual(
      expect.objectContaining({ path: "batch.train_batch_size", value: 1024 }),
    );
    expect(notes).toContainEqual(
      expect.objectContaining({ name: "data.train_batch_size", choice: "1:20", isMinor: false }),
    );
    const chosen = read(text, { choices: { "1:20": 0 } });
    expect(chosen.values).toContainEqual(
      expect.objectContaining({ path: "batch.train_batch_size", value: 16 }),
    );
    expect(chosen.choices[0]).toMatchObject({ isChosen: true, taken: 0 });
    expect(chosen.notes.filter(({ choice }) => choice !== null)).toEqual([]);
  });

  test("a case on an argument lists its branches, and an answer holds for the whole script", () => {
    const text = `case "$1" in
  7b) TP=1 ;;
  32b|70b) TP=4 ;;
  *) echo "usage: $0 7b|32b"; exit 1 ;;
esac
[ "$1" = 7b ] && N=8 || N=16
python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.tensor_model_parallel_size=$TP actor_rollout_ref.rollout.n=$N`;
    const { choices } = read(text);
    expect(
      choices.map(({ condition, options }) => [condition, options.map((each) => each.label)]),
    ).toEqual([['"$1"', ["7b", "32b | 70b", "*"]]]);
    expect(choices[0]?.options[2]?.stops).toBe(true);
    expect(valuesOf(text, { choices: { [choices[0]?.id ?? ""]: 0 } })).toMatchObject({
      "rollout.tensor_parallel": 1,
      "batch.n": 8,
    });
    expect(valuesOf(text, { variables: { "1": "70b" } })).toMatchObject({
      "rollout.tensor_parallel": 4,
      "batch.n": 16,
    });
  });

  test("a check of arguments that ends the script is passed", () => {
    const text = `if [ "$#" -lt 2 ]; then echo "usage"; exit 1; fi
python3 -m verl.trainer.main_ppo trainer.n_gpus_per_node=$1 data.train_batch_size=64`;
    expect(valuesOf(text)).toMatchObject({ "batch.train_batch_size": 64 });
    expect(read(text).unknowns).toEqual([
      { name: "1", line: 2, keys: ["trainer.n_gpus_per_node"] },
    ]);
  });

  test("of several training commands one is read, and the others can be chosen", () => {
    const text = `for seed in 1 2; do
  python3 -m verl.trainer.main_ppo data.seed=$seed data.train_batch_size=8
done`;
    const [choice] = read(text).choices;
    expect(choice).toMatchObject({ id: "command", taken: 0 });
    expect(choice?.options.map(({ label }) => label)).toEqual([
      "1: verl.trainer.main_ppo data.seed=1",
      "2: verl.trainer.main_ppo data.seed=2",
    ]);
    expect(valuesOf(text, { choices: { command: 1 } })).toMatchObject({
      "overrides.data.seed": 2,
    });
  });

  test("a comment that ends the command is told apart", () => {
    expect(notesOf(fixture("31-comment-in-a-continuation"))).toMatchObject({
      "data.max_response_length": expect.stringContaining("stands by itself"),
      "actor_rollout_ref.rollout.n": expect.stringContaining("training command"),
    });
  });

  test("a function that is not called, an array that is not passed on, a value that is replaced", () => {
    const text = `f() { python3 -m verl.trainer.main_ppo a.inside=1; }
LEFT=(b.left=2)
python3 -m verl.trainer.main_ppo c.d=3 c.d=4
exit 0
python3 -m verl.trainer.main_ppo e.after=5`;
    expect(notesOf(text)).toMatchObject({
      "a.inside": "stands in f, which is not called",
      "b.left": "stands in LEFT, which the command does not get",
      "c.d": "3 is replaced by a later value of the same key",
      "e.after": "stands behind the end of the script",
    });
    expect(valuesOf(text)).toMatchObject({ "overrides.c.d": 4 });
  });

  test("variables reach the program where bash passes them on", () => {
    const text = `
      export PYTHONPATH=/src/verl:$PYTHONPATH MY_FLAG=1 PATH=/x:/y HOME=/me
      GPUS=8
      LATER=2; export LATER
      export VLLM_USE_V1=1 TRAJ_FILTER_ENABLE=1
      ROOT_BATCH=9
      export ROOT=$(pwd)
      BEFORE=4 env FROM_ENV=3 NCCL_IB_DISABLE=1 python3 -m verl.trainer.main_ppo a.b=1`;
    expect(valuesOf(text)).toEqual({
      "algorithm.trainer_mode": "sync",
      "env.PYTHONPATH": "/src/verl",
      "env.MY_FLAG": "1",
      "env.LATER": "2",
      "env.VLLM_USE_V1": "1",
      "env.BEFORE": "4",
      "env.FROM_ENV": "3",
      "env.NCCL_IB_DISABLE": "1",
      "trajectory_filter.enable": true,
      "overrides.a.b": 1,
    });
    expect(notesOf(text)).toMatchObject({
      ROOT: "$(pwd) is known only where the script runs: fill it in",
      GPUS: "is set, and the command does not get it",
    });
  });

  test("a Ray job gets the variables of its runtime environment", () => {
    expect(valuesOf(fixture("24-ray-job"))).toEqual({
      "algorithm.trainer_mode": "sync",
      "env.NCCL_DEBUG": "INFO",
      "env.MY_FLAG": "1",
      "batch.train_batch_size": 512,
      "batch.n": 16,
      "layout.nnodes": 4,
    });
    expect(notesOf(fixture("24-ray-job"))).toMatchObject({
      "--runtime-env-json": expect.stringContaining("working_dir left out"),
      "ray job submit": expect.stringContaining("do not reach a Ray job"),
    });
  });

  test("the run has the experiment's name, and keys of LiveRL's own are not taken", () => {
    const text = `python3 -m verl.experimental.fully_async_policy.fully_async_main \\
      trainer.project_name='GRPO on SWE' trainer.experiment_name=Qwen3_8B/v2 \\
      trainer.default_local_dir=$(pwd)/ckpt trainer.total_epochs=15 trainer.use_v1=False \\
      actor_rollout_ref.rollout.agent.agent_loop_config_path=/loops.yaml \\
      trainer.logger='["console","wandb"]'`;
    expect(valuesOf(text)).toEqual({
      "algorithm.trainer_mode": "fully_async",
      project: "grpo-on-swe",
      name: "qwen3_8b-v2",
      "overrides.trainer.logger": ["console", "wandb"],
    });
    expect(notesOf(text)["trainer.default_local_dir"]).toMatch(/LiveRL keeps a run's checkpoints/);
    const v0 = "python -m verl.trainer.main_ppo trainer.use_v1=False";
    expect(valuesOf(v0)).toEqual({ "algorithm.trainer_mode": "v0" });
    const separate = "python -m verl.trainer.main_ppo trainer.v1.trainer_mode=separate_async";
    expect(valuesOf(separate)).toEqual({ "algorithm.trainer_mode": "separate_async" });
  });
});

describe("another trainer", () => {
  test("DAPO's recipe is named, and its arguments are verl's only if the user says so", () => {
    const text = `ray job submit --address="http://10.0.0.9:8265" \\
    --runtime-env-json='{"working_dir": "./", "env_vars": {"NCCL_DEBUG": "INFO"}}' --no-wait -- \\
    python3 -m recipe.dapo.main_dapo \\
    data.gen_batch_size=1536 data.train_batch_size=512 \\
    algorithm.filter_groups.enable=True actor_rollout_ref.rollout.n=16`;
    expect(valuesOf(text)).toEqual({});
    expect(notesOf(text)).toMatchObject({
      "recipe.dapo.main_dapo": expect.stringContaining("no program that LiveRL starts"),
      "--runtime-env-json": expect.stringContaining("working_dir"),
      "data.train_batch_size": expect.stringContaining("argument of recipe.dapo.main_dapo"),
    });
    expect(valuesOf(text, { choices: { program: 1 } })).toMatchObject({
      "batch.train_batch_size": 512,
      "batch.n": 16,
    });
  });

  test.each([
    ["python3 train.py --hf-checkpoint /m --rollout-batch-size 32", "slime or miles"],
    ["python3 -m openrlhf.cli.train_ppo_ray --pretrain /m", "OpenRLHF"],
    ["trl grpo --model_name_or_path x", "TRL"],
    ["accelerate launch --config_file z.yaml src/open_r1/grpo.py --config c", "TRL"],
    ["uv run python examples/run_grpo_math.py --config x", "NeMo-RL"],
    ["uv run --isolated -m skyrl_train.entrypoints.main_base a.b=1", "SkyRL"],
    ["python -m skyrl_train.entrypoints.main_base trainer.x=1", "SkyRL"],
    ["uv run rl @ configs/x.toml", "prime-rl"],
    ["python examples/start_rlvr_pipeline.py --config_path x", "ROLL"],
    ["python3 -m areal.launcher.local examples/gsm8k.py", "AReaL"],
    ["python3 -m rllm.trainer.verl.train_agent_ppo data.train_batch_size=8", "rLLM"],
    ["python3 -m agentlightning.verl data.train_batch_size=8", "Agent Lightning"],
    ["python3 -m recipe.spin.main_spin data.train_batch_size=8", "a recipe of verl"],
    ["python3 my_main.py data.train_batch_size=8 trainer.nnodes=1", "a program of its own on verl"],
  ])("%s", (text, label) => {
    const { values, notes } = read(text);
    expect(values).toEqual([]);
    expect(notes.map(({ message }) => message).join("\n")).toContain(label);
  });

  test("verl's own programs for other work are named", () => {
    const text = fixture("26-torchrun-and-sft-first");
    expect(valuesOf(text)).toMatchObject({
      "layout.nnodes": 2,
      "data.train_files": ["/rl.parquet"],
    });
    expect(Object.keys(notesOf(text))).toEqual(
      expect.arrayContaining(["verl.trainer.fsdp_sft_trainer", "verl.model_merger"]),
    );
  });

  test("a script that only calls another is told to bring it along", () => {
    expect(notesOf("export N=1\nbash examples/run.sh data.train_batch_size=4")).toMatchObject({
      "examples/run.sh": expect.stringContaining("paste what it runs"),
    });
  });
});

describe("files that Hydra writes", () => {
  test("overrides.yaml", () => {
    const text = "- data.train_batch_size=64\n- +trainer.extra=[1,2]\n- model_engine=megatron\n";
    expect(read(text).source).toBe("hydra-overrides");
    expect(valuesOf(text)).toEqual({
      "batch.train_batch_size": 64,
      "overrides.+trainer.extra": [1, 2],
      "engine.name": "megatron",
    });
  });

  test("config.yaml: fields are taken, the many keys without one are listed", () => {
    const text = `data:\n  train_batch_size: 64\n  truncation: error\n  train_files:\n  - /a.parquet\ntrainer:\n  nnodes: 2\nactor_rollout_ref:\n  model:\n    path: /m\n`;
    expect(read(text).source).toBe("hydra-config");
    expect(valuesOf(text)).toMatchObject({
      "batch.train_batch_size": 64,
      "data.train_files": ["/a.parquet"],
      "layout.nnodes": 2,
      "model.path": "/m",
    });
    expect(read(text).notes).toContainEqual(
      expect.objectContaining({ name: "data.truncation", line: 3, isMinor: true }),
    );
  });
});

describe("hostile text", () => {
  test("any text is read without an error", () => {
    const unit = fc.constantFrom(...`"'\\$\`{}()= \n#aA0.<|&;[]!*-@`);
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit }), (text) => {
        read(text);
      }),
      { numRuns: 1_500 },
    );
  });

  const LONG = 200_000;
  test.each([
    ...['"', "'", "$", "`", "$(", "${", "\\\n", 'a="', "=[", "#", "((", "$((", "{ ", "if x; then "],
    ...["case x in ", "a=(", "<<E\n", "[[ ", "! ", "a|", "${a:-", '"$(', "f(){ ", "<(", "a.b=1 "],
    ...[
      "a.b='",
      "[[ a =~ (a+)+$ ]];",
      "python3 -m verl.trainer.main_ppo a.b=1\n",
      "x=$x$x;",
      "- a=b\n",
    ],
    ...["a: &a [*a]\n", "[ -f x ] && y=1;", "eval ", "{a,b}", "echo {1..999} "],
  ])("%j over and over is read soon", (unit) => {
    const began = performance.now();
    read(unit.repeat(LONG / unit.length));
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test.each([
    "while true; do x+=a; done",
    "f() { f; f; }; f",
    "x=aaaaaaaaaaaaaaaa; for i in {1..1000}; do x=$x$x; done; echo $x",
    ":(){ :|:& };:",
    "for a in {1..999}; do for b in {1..999}; do for c in {1..999}; do :; done; done; done",
    'x="x"; while :; do eval "x=\\$x\\$x"; done',
    "A=(1); while :; do A+=(${A[@]}); done",
    "echo {1..9}{1..9}{1..9}{1..9}{1..9}{1..9}",
    "x=a; [[ ${x} == *a*a*a*a*a*a*a*a*b ]]",
    "echo $((2**62**2**9))",
    `${"[ -f a ] && x=1; ".replace("a", "$a").repeat(200)} python3 -m verl.trainer.main_ppo a.b=$x`,
  ])("%s ends", (text) => {
    const began = performance.now();
    read(`${text}\npython3 -m verl.trainer.main_ppo a.b=1`);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test("a script that takes too long says so", () => {
    const text = "while true; do x=1; done; python3 -m verl.trainer.main_ppo a.b=1";
    const loops = "for a in {1..999}; do for b in {1..999}; do :; done; done";
    expect(notesOf(`${loops}\n${text}`).script).toMatch(/too many steps/);
  });
});
