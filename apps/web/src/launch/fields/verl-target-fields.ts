import {
  DRIVER_FIELD,
  type LaunchField,
  type LaunchSection,
  lines,
  number,
  text,
} from "#launch/fields/launch-field.ts";

const RUN: readonly LaunchField[] = [
  DRIVER_FIELD,
  text("name", "Name", "Lower-case letters, digits, '.', '_' or '-'."),
  text("project", "Project", "Runs of one project are listed together."),
  number("seed", "Seed", "Order of the data, and what is sampled from it.", { rare: true }),
];

const VERL: readonly LaunchField[] = [
  text("verl.version", "verl", "The release that is installed."),
  text("verl.path", "verl checkout", "A folder that stands before the installed verl.", {
    nullable: true,
    empty: "the installed one",
    rare: true,
  }),
];

export const RUN_SECTION: LaunchSection = { id: "run", label: "Run", fields: RUN };

export const LOCAL_TARGET: LaunchSection = {
  id: "target",
  label: "Target",
  note: "verl as a process of this machine",
  fields: [
    text("target.venv", "Environment", "A folder with a Python environment that has verl.", {
      nullable: true,
      empty: "LiveRL makes one",
    }),
    text("target.python", "Python", "The interpreter that the environment is made with.", {
      nullable: true,
      empty: "newest of 3.10 to 3.12",
      matters: (read) => read("target.venv") === null,
    }),
    ...VERL,
  ],
};

export const RAY_TARGET: LaunchSection = {
  id: "target",
  label: "Target",
  note: "a job of a Ray cluster, by its Jobs API",
  fields: [
    text("target.address", "Ray dashboard", "Where the cluster's dashboard answers."),
    text("target.token_path", "Token file", "File with the cluster's token.", {
      nullable: true,
      empty: "it has none",
    }),
    text("target.python", "Python", "The interpreter on the cluster's nodes."),
    ...VERL,
    number(
      "target.entrypoint_num_cpus",
      "CPUs of the driver",
      "What Ray keeps for verl's main process.",
      {
        rare: true,
      },
    ),
    text(
      "target.runner_url",
      "Runner from there",
      "The trial runner as the cluster's nodes dial it.",
      {
        nullable: true,
        empty: "this machine's",
        rare: true,
      },
    ),
    text(
      "target.proxy_url",
      "Proxy from there",
      "The proxy's admin port as the cluster's nodes dial it.",
      {
        nullable: true,
        empty: "this machine's",
        rare: true,
      },
    ),
  ],
};

export const KUBERAY_TARGET: LaunchSection = {
  id: "target",
  label: "Target",
  note: "a RayJob of a Kubernetes cluster with KubeRay",
  fields: [
    text("target.namespace", "Namespace", "Where the RayJob and its pods go."),
    text("target.image", "Image", "Has Ray and verl; LiveRL brings its adapter."),
    text("target.ray_version", "Ray", "The version in the image."),
    text("target.context", "Context", "Of the kubeconfig.", {
      nullable: true,
      empty: "the current one",
    }),
    text("target.kubeconfig", "Kubeconfig", "File that leads to the cluster.", {
      nullable: true,
      empty: "the default one",
    }),
    text("target.runner_url", "Runner from there", "The trial runner as the pods dial it.", {
      nullable: true,
      empty: "needed",
    }),
    text("target.proxy_url", "Proxy from there", "The proxy's admin port as the pods dial it.", {
      nullable: true,
      empty: "needed",
    }),
    lines("target.volumes", "Volumes", "Claims that each pod mounts, one a line: models:/models.", {
      empty: "none",
    }),
    text("target.python", "Python", "The interpreter in the image.", { rare: true }),
    ...VERL,
    number("target.head_cpu", "Head CPUs", "Of the Ray head's pod.", { rare: true }),
    number("target.head_memory_gb", "Head memory", "Of the Ray head's pod.", {
      unit: "GB",
      rare: true,
    }),
    number("target.worker_cpu", "Worker CPUs", "Of each node's pod.", { rare: true }),
    number("target.worker_memory_gb", "Worker memory", "Of each node's pod.", {
      unit: "GB",
      rare: true,
    }),
    number(
      "target.pre_running_deadline_s",
      "Start limit",
      "The job fails when its pods are not up by then.",
      {
        unit: "s",
        rare: true,
      },
    ),
  ],
};
