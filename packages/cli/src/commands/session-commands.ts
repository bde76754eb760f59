import type { Command } from "commander";
import type { Act, Cli } from "#cli.ts";
import { real } from "#commands/parse-number.ts";
import { formatTable } from "#output/format-table.ts";
import { time } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

/** Sessions of outside agents. */
export function addSessionCommands(program: Command, act: Act): void {
  const sessions = program
    .command("sessions")
    .description("List, open and end sessions of outside agents.");
  sessions
    .command("list", { isDefault: true })
    .description("Sessions on runs of a project, newest first.")
    .requiredOption("-p, --project <name>", "of this project")
    .action(act(list));
  sessions
    .command("show")
    .description("A session's calls and segments, live or finished.")
    .argument("<session>", "its id")
    .action(act(show));
  sessions
    .command("open")
    .description("Open one: the address for an agent, and its key.")
    .option("-r, --run <run>", "on the engines of this run; without it, of the newest")
    .option("-t, --task <task>", "a name of what it works on")
    .action(act(open));
  sessions
    .command("complete")
    .description("Freeze one and say where its trajectory is.")
    .argument("<session>", "its id")
    .option("--reward <reward>", "what it is worth", real)
    .action(act(complete));
}

async function list({ api }: Cli, { project }: { project: string }): Promise<Result> {
  const answer = await api.get("session.list", { project });
  const lines = formatTable(answer.sessions, [
    { title: "SESSION", of: ({ sessionId }) => sessionId },
    { title: "RUN", of: ({ runId }) => runId },
    { title: "STATE", of: ({ state }) => state },
    { title: "CALLS", of: ({ calls }) => calls, right: true },
    { title: "REWARD", of: ({ reward }) => reward && JSON.stringify(reward) },
    { title: "OPENED", of: ({ openedAt }) => time(openedAt) },
  ]);
  return { answer, lines };
}

async function show({ api }: Cli, sessionId: string): Promise<Result> {
  const answer = await api.get("session.get", { sessionId });
  const lines = [
    `${sessionId}: ${answer.live ? "live" : answer.termination}, ${answer.segments.length} segments`,
    ...formatTable(answer.calls, [
      { title: "CALL", of: ({ id }) => id, right: true },
      { title: "KIND", of: ({ kind }) => kind },
      { title: "STATUS", of: ({ status }) => status },
      { title: "PROMPT", of: ({ usage }) => usage.promptTokens, right: true },
      { title: "SAMPLED", of: ({ usage }) => usage.sampledTokens, right: true },
      { title: "FORK", of: ({ fork }) => fork?.reason },
      { title: "ERROR", of: ({ error }) => error },
    ]),
  ];
  return { answer, lines };
}

async function open({ api }: Cli, { run, task }: { run?: string; task?: string }): Promise<Result> {
  const body = { ...(run && { runId: run }), ...(task && { taskId: task }) };
  const response = await api.open("POST", "/api/v1/sessions", body);
  const answer = (await response.json()) as Record<string, string>;
  return {
    answer,
    lines: Object.entries(answer).map(([name, value]) => `${name.padEnd(11)}${value}`),
  };
}

async function complete(
  { api }: Cli,
  id: string,
  { reward }: { reward?: number },
): Promise<Result> {
  const path = `/api/v1/sessions/${encodeURIComponent(id)}/complete`;
  const response = await api.open("POST", path, reward === undefined ? {} : { reward });
  const answer = (await response.json()) as { path: string };
  return { answer, lines: [answer.path] };
}
