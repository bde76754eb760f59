import { SEPARATE_ROLLOUT_MODES, type VerlSpec } from "@liverl/contract/verl-launch";
import { readOverride } from "#launch/effective-spec.ts";
import { verlCpus } from "#launch/verl-cpus.ts";
import {
  fail,
  pass,
  set,
  takeOut,
  trainerWorld,
  type VerlRule,
  warn,
} from "#launch/verl-rules/verl-rule.ts";

/** The release that the adapter and these rules were made with. */
const VERL_VERSION = "0.9.1";

/** Clocks that are set by NTP differ by less than one second. */
const CLOCKS_APART_S = 5;
const MOST_NAMED = 3;

function gpusNeeded(spec: VerlSpec): number {
  const { layout, algorithm } = spec;
  return (
    trainerWorld(spec) +
    (SEPARATE_ROLLOUT_MODES.includes(algorithm.trainer_mode)
      ? layout.rollout_nnodes * layout.rollout_n_gpus_per_node
      : 0)
  );
}

/** A Ray that verl starts here has as many as an override tells it; actors are placed by that, not by the machine's. */
function toldToRay(spec: VerlSpec, resource: "num_cpus" | "num_gpus"): number | null {
  const told = readOverride(spec, `ray_kwargs.ray_init.${resource}`)?.value;
  return spec.driver === "local-verl" && typeof told === "number" ? told : null;
}

export const MACHINE_RULES: readonly VerlRule[] = [
  {
    id: "model-folder",
    judge: ({ model }, { model: seen }) => {
      const at = { field: "model.path" };
      if (seen.state === "elsewhere")
        return warn(
          "The model is not on this machine",
          `${model.path} is looked at when the run starts: heads, window and memory are not checked here.`,
          at,
        );
      if (seen.state === "missing") return fail("The model is not there", seen.message, at);
      if (seen.fault !== null) return fail("The model can not be read", seen.fault, at);
      if (!seen.hasWeights)
        return fail("The model has no weights", "The folder has no safetensors file.", at);
      if (seen.missingWeights.length > 0)
        return fail(
          "The model is incomplete",
          `${seen.missingWeights.length} weight ${seen.missingWeights.length === 1 ? "file is" : "files are"} missing, ${seen.missingWeights[0]} first.`,
          at,
        );
      if (seen.damagedWeights.length > 0)
        return fail(
          "The model is damaged",
          `${seen.damagedWeights.join(" ")} Copy or download it anew.`,
          at,
        );
      if (!seen.hasTokenizer)
        return fail("The model has no tokenizer", "tokenizer.json is not in its folder.", at);
      return pass(
        "Model",
        `${seen.shape?.modelType ?? "known"}, ${(seen.sizeBytes / 1e9).toFixed(1)} GB of weights.`,
        at,
      );
    },
  },
  {
    id: "chat-template",
    judge: (_spec, { model }) =>
      model.state === "found" && model.shape !== null && !model.hasChatTemplate
        ? fail(
            "The model has no chat template",
            "The proxy renders messages by it: chat_template.jinja, or chat_template in tokenizer_config.json.",
            { field: "model.path" },
          )
        : null,
  },
  {
    id: "verl-version",
    judge: ({ verl }) =>
      verl.version === VERL_VERSION || verl.path !== null
        ? null
        : warn(
            `Checked against verl ${VERL_VERSION}`,
            `This run takes ${verl.version}, whose keys and checks may differ.`,
            { fix: set("verl.version", VERL_VERSION) },
          ),
  },
  {
    id: "verl-checkout",
    judge: ({ verl }, { checkout }) =>
      verl.path !== null && checkout !== null && !checkout.hasVerl
        ? fail("The checkout has no verl", `${verl.path}/verl/__init__.py is not there.`, {
            fix: set("verl.path", null, "Use the installed one"),
          })
        : null,
  },
  {
    id: "python",
    judge: (spec, { python }) => {
      if (spec.driver !== "local-verl" || python === null) return null;
      const { venv } = spec.target;
      if (python.venv === null)
        return python.interpreter === null
          ? fail(
              "No Python for verl",
              spec.target.python === null
                ? "verl wants Python 3.10 to 3.12 with venv; none is on PATH."
                : `${spec.target.python} is no Python 3.10 to 3.12 with venv.`,
              { field: "target.python" },
            )
          : pass("Python", `${python.interpreter}; LiveRL makes an environment with it.`, {
              field: "target.python",
            });
      if (!python.venv.hasPython)
        return fail("The environment has no Python", `${venv}/bin/python is not there.`, {
          fix: set("target.venv", null, "Let LiveRL make one"),
        });
      if (python.venv.verlVersion === null && spec.verl.path === null)
        return fail("The environment has no verl", `Install verl ${VERL_VERSION} in ${venv}.`, {
          fix: set("target.venv", null, "Let LiveRL make one"),
        });
      return python.venv.verlVersion === null || python.venv.verlVersion === spec.verl.version
        ? pass(
            "Python environment",
            `${venv}, verl ${python.venv.verlVersion ?? "from a checkout"}.`,
            {
              field: "target.venv",
            },
          )
        : warn(
            "The environment has another verl",
            `${python.venv.verlVersion} is installed, the spec says ${spec.verl.version}.`,
            { fix: set("verl.version", python.venv.verlVersion) },
          );
    },
  },
  {
    id: "gpus",
    judge: (spec, { gpus }) => {
      if (gpus === null) return null;
      const needed = gpusNeeded(spec);
      const told = toldToRay(spec, "num_gpus");
      const count = told ?? gpus.count;
      if (count >= needed)
        return pass(
          "GPUs",
          told === null
            ? `${needed} of ${count}.`
            : `${needed} of the ${told} that Ray is told of.`,
          { field: "layout.n_gpus_per_node" },
        );
      const perNode = Math.floor(
        count / (SEPARATE_ROLLOUT_MODES.includes(spec.algorithm.trainer_mode) ? 2 : 1),
      );
      return fail(
        count === 0 ? "This machine has no GPU" : "Not enough GPUs",
        `The run takes ${needed}, ${told === null ? "nvidia-smi lists" : "Ray is told of"} ${count}. A Ray cluster takes it elsewhere.`,
        perNode > 0
          ? { fix: set("layout.n_gpus_per_node", perNode) }
          : { field: "layout.n_gpus_per_node" },
      );
    },
  },
  {
    id: "gpus-busy",
    judge: (_spec, { gpus }) => {
      if (!gpus || gpus.busy.length === 0) return null;
      const named = gpus.busy
        .slice(0, MOST_NAMED)
        .map(({ pid, name, usedMb }) => `${name} (pid ${pid}, ${(usedMb / 1e3).toFixed(1)} GB)`);
      const rest = gpus.busy.length - named.length;
      return warn(
        "The GPUs are in use",
        `${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}. LiveRL ends only what it started itself: stop the run that they belong to, or end them where they came from.`,
        { field: "layout.n_gpus_per_node" },
      );
    },
  },
  {
    id: "ports",
    judge: (_spec, { ports }) => {
      const taken = ports?.find(({ isFree }) => !isFree);
      return taken
        ? fail(
            `Port ${taken.port} is in use`,
            "Another process listens on it. Without the value a free one is taken.",
            { fix: takeOut(taken.path, undefined, "Take a free one") },
          )
        : null;
    },
  },
  {
    id: "proxy-address",
    judge: (_spec, { proxyFault }) =>
      proxyFault === null
        ? null
        : fail("No proxy can run on this machine", proxyFault, {
            fix: set("proxy.mode", "server", "Use LiveRL's own"),
          }),
  },
  {
    id: "clock",
    judge: (_spec, { ray }) => {
      const ahead = ray?.clockAheadS ?? 0;
      return Math.abs(ahead) <= CLOCKS_APART_S
        ? null
        : warn(
            `The cluster's clock is ${Math.abs(ahead)} s ${ahead > 0 ? "ahead" : "behind"}`,
            "Steps, events and logs of the run would not stand in their order, and waits would be measured wrong. Set both clocks by NTP.",
            { field: "target.address" },
          );
    },
  },
  {
    id: "nodes",
    judge: ({ driver, layout }) =>
      driver === "local-verl" && layout.nnodes > 1
        ? fail(
            "One machine has one node",
            `${layout.nnodes} nodes want a Ray cluster: take the driver ray-job.`,
            { fix: set("layout.nnodes", 1) },
          )
        : null,
  },
  {
    id: "ray",
    judge: (spec, { ray }) => {
      if (spec.driver !== "ray-job" || ray === null) return null;
      const at = { field: "target.address" };
      if (ray.version === null)
        return fail(
          "Ray does not answer",
          ray.fault ?? `Nothing answers at ${spec.target.address}.`,
          /token/.test(ray.fault ?? "") ? { field: "target.token_path" } : at,
        );
      return pass("Ray", `${ray.version} at ${spec.target.address}.`, at);
    },
  },
  {
    id: "ray-token",
    judge: (spec, { ray }) => {
      if (spec.driver !== "ray-job" || ray === null) return null;
      const at = { field: "target.token_path" };
      if (ray.tokenFault !== null)
        return fail("The cluster's token can not be read", ray.tokenFault, at);
      if (!ray.isLoopback && ray.authentication === "disabled")
        return fail(
          "Anyone may run programs on this Ray",
          "It asks for no token and is not on this machine. Start it with RAY_AUTH_MODE=token, or reach it through a tunnel on 127.0.0.1.",
          { field: "target.address" },
        );
      if (!ray.isLoopback && !ray.hasToken)
        return fail(
          "A Ray elsewhere wants a token",
          "Name the file that has it; LiveRL sends jobs to no other machine without.",
          at,
        );
      if (ray.authentication === "token" && !ray.hasToken)
        return fail("Ray asks for a token", "Name its file: ~/.ray/auth_token where Ray made it.", {
          fix: set("target.token_path", "~/.ray/auth_token", "Use Ray's own"),
        });
      return ray.authentication === "disabled"
        ? warn(
            "This Ray asks for no token",
            "Every program of this machine may run anything on it.",
            at,
          )
        : null;
    },
  },
  {
    id: "ray-gpus",
    judge: (spec, { ray }) => {
      const resources = ray?.resources;
      if (!resources) return null;
      const needed = gpusNeeded(spec);
      if (resources.gpus >= needed)
        return pass("Cluster", `${needed} of ${resources.gpus} GPUs on ${resources.nodes} nodes.`, {
          field: "layout.nnodes",
        });
      return fail(
        "The cluster has too few GPUs",
        `The run takes ${needed}, Ray has ${resources.gpus}: its placement group would wait without a word.`,
        { field: "layout.nnodes" },
      );
    },
  },
  {
    id: "cpus",
    judge: (spec, { cpus: seen, ray, gpus }) => {
      const cpus = toldToRay(spec, "num_cpus") ?? seen;
      if (cpus === null || (gpus?.count === 0 && toldToRay(spec, "num_gpus") === null)) return null;
      const needed = verlCpus(spec);
      if (cpus >= needed) return pass("CPUs", `${needed} of ${cpus} for verl's actors.`);
      const why = `verl's actors claim ${needed}, ${ray ? "Ray has" : "there are"} ${cpus}: some would wait for ever.`;
      return ray
        ? fail("The cluster has too few CPUs", why, { field: "layout.nnodes" })
        : fail("Too few CPUs", why, {
            fix: set("overrides.ray_kwargs.ray_init.num_cpus", needed, `Tell Ray ${needed}`),
          });
    },
  },
];
