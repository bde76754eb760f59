import type { ClusterView } from "@liverl/contract/cluster";
import type { Command } from "commander";
import type { Act, Cli } from "#cli.ts";
import { formatTable } from "#output/format-table.ts";
import { bytes, duration, number, percent, span } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

/** Machines, sandboxes and LiveRL itself. */
export function addMachineCommands(program: Command, act: Act): void {
  program
    .command("status")
    .description("Show whether the parts of this LiveRL are up: exit 5 when one is not.")
    .action(act(showStatus));
  program
    .command("cluster")
    .description("Show engines, GPUs, Ray and processes as they are now.")
    .action(act(showCluster));
  program
    .command("sandboxes")
    .description("List trials in sandboxes, and errors of the last day.")
    .action(act(showSandboxes));
  program
    .command("link")
    .description("Make a link that signs one browser in, once, within ten minutes.")
    .action(act(makeLink));
}

async function showStatus({ api }: Cli): Promise<Result> {
  const answer = await api.get("system.get", {});
  const { version, dataDir, dataPlane, database, agentUrl, projects } = answer;
  const parts = { database, runner: dataPlane.runner, proxy: dataPlane.proxy };
  const isUp = Object.values(parts).every((state) => state === "up");
  return {
    answer,
    lines: [
      `LiveRL ${version} at ${api.server.url}, on ${dataDir}`,
      ...Object.entries(parts).map(([part, state]) => `${part}: ${state}`),
      ...(dataPlane.reason === null ? [] : [`the runner does not start: ${dataPlane.reason}`]),
      `agents: ${agentUrl ?? "no address yet"}`,
      `projects: ${projects.join(", ") || "none"}`,
    ],
    exit: isUp ? 0 : 5,
  };
}

async function showCluster({ api }: Cli): Promise<Result> {
  const answer = await api.get("cluster.get", {});
  return {
    answer,
    lines: [
      ...describeHost(answer),
      ...describeEngines(answer),
      ...describeGpus(answer),
      ...describeRays(answer),
    ],
  };
}

function describeHost({ host, processes }: ClusterView): string[] {
  return [
    `load ${number(host.load)}, memory ${bytes(host.memoryUsed)} of ${bytes(host.memoryTotal)}, disk ${bytes(host.diskFree)} free of ${bytes(host.diskTotal)}`,
    "",
    ...formatTable(processes, [
      { title: "PROCESS", of: ({ name }) => name },
      { title: "PID", of: ({ pid }) => pid, right: true },
      { title: "MEMORY", of: ({ memory }) => bytes(memory), right: true },
      { title: "UP", of: ({ startedAt }) => duration(span(startedAt, null)), right: true },
    ]),
  ];
}

const notKnown = (what: string, fault: string | null) =>
  fault === null ? [] : ["", `${what}: ${fault}`];

function describeEngines({ engines }: ClusterView): string[] {
  const rows = engines.value ?? [];
  const table = formatTable(rows, [
    { title: "ENGINE", of: ({ url }) => url },
    { title: "RUN", of: ({ poolId }) => poolId },
    { title: "STATE", of: ({ state }) => state },
    { title: "VERSION", of: ({ weightVersion }) => weightVersion, right: true },
    { title: "RUNNING", of: ({ running }) => running, right: true },
    { title: "WAITING", of: ({ waiting }) => waiting, right: true },
    { title: "KV", of: ({ kvUse }) => percent(kvUse), right: true },
    { title: "TOKENS/S", of: ({ tokensPerS }) => number(tokensPerS), right: true },
  ]);
  return [...(rows.length > 0 ? ["", ...table] : []), ...notKnown("engines", engines.fault)];
}

function describeGpus({ gpus }: ClusterView): string[] {
  const lanes = gpus.value?.lanes ?? [];
  const table = formatTable(lanes, [
    { title: "GPU", of: ({ host, index }) => `${host ?? "here"}:${index}` },
    { title: "NAME", of: ({ name }) => name },
    { title: "USE %", of: ({ utilisation }) => utilisation, right: true },
    {
      title: "MiB",
      of: ({ memoryUsed, memoryTotal }) => `${memoryUsed ?? "?"}/${memoryTotal ?? "?"}`,
      right: true,
    },
    { title: "°C", of: ({ temperature }) => temperature, right: true },
    { title: "XID", of: ({ xid }) => xid, right: true },
  ]);
  return [...(lanes.length > 0 ? ["", ...table] : []), ...notKnown("GPUs", gpus.fault)];
}

function describeRays({ rays }: ClusterView): string[] {
  return rays.flatMap(({ address, value, fault }) => [
    "",
    `Ray ${address}: ${value ? `${value.nodes.filter(({ isAlive }) => isAlive).length} of ${value.nodes.length} nodes alive, ${value.actorCount} actors` : fault}`,
  ]);
}

async function showSandboxes({ api }: Cli): Promise<Result> {
  const answer = await api.get("sandbox.list", {});
  const { value, fault } = answer;
  if (value === null) return { answer, lines: [fault ?? "Nothing is known of sandboxes yet."] };
  const lines = [
    `${value.host.value?.name ?? "sandboxes"}: ${value.host.fault ?? value.host.value?.fault ?? "up"}`,
    ...formatTable(value.trials, [
      { title: "ROLLOUT", of: ({ rolloutId }) => rolloutId },
      { title: "TASK", of: ({ taskName }) => taskName },
      { title: "STATE", of: ({ state }) => state },
      { title: "SINCE", of: ({ since }) => duration(span(since, null)), right: true },
      { title: "PLACE", of: ({ place }) => place },
      { title: "SANDBOX", of: ({ sandbox }) => sandbox },
    ]),
    ...(value.errors?.map(({ type, count, last }) => `${count} × ${type}: ${last.message}`) ?? [
      "Errors are not counted yet: ask again.",
    ]),
  ];
  return { answer, lines };
}

async function makeLink({ api }: Cli): Promise<Result> {
  const response = await api.open("POST", "/api/v1/login-links");
  const answer = (await response.json()) as { url: string };
  return { answer, lines: [answer.url] };
}
