import { apiPath, toQuery } from "@liverl/contract/api";
import { LogLine } from "@liverl/contract/views";
import type { Command } from "commander";
import { z } from "zod";
import type { Act, Cli } from "#cli.ts";
import { readEvents } from "#client/read-events.ts";
import { whole } from "#commands/parse-number.ts";
import { CliError, EXIT } from "#exit-code.ts";
import { formatTable } from "#output/format-table.ts";
import { bytes, time } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

const Frame = z.object({ lines: z.array(LogLine), end: z.number() });

interface Flags {
  follow?: true;
  lines: number;
  search?: string;
  list?: true;
}

export function addLogCommand(program: Command, act: Act): void {
  program
    .command("logs")
    .description("Show the end of one of a run's logs; without a name, that of its trainer.")
    .argument("<run>", "its id")
    .argument("[log]", "which: `--list` names them")
    .option("-f, --follow", "go on with new lines as they are written")
    .option("-n, --lines <count>", "so many lines", whole(1), 200)
    .option("-q, --search <text>", "lines that have this text")
    .option("-l, --list", "name the run's logs")
    .action(act(showLog));
}

async function showLog(cli: Cli, runId: string, log: string | undefined, flags: Flags) {
  const { sources } = await cli.api.get("log.sources", { runId });
  if (flags.list) return listLogs(sources);
  const source = log ?? (sources.find(({ sizeBytes }) => sizeBytes > 0) ?? sources[0])?.id;
  if (source === undefined) throw new CliError(EXIT.notFound, `${runId} has no logs.`);
  const { lines: limit, search: q } = flags;
  const page = await cli.api.get("log.read", { runId, source, limit, q });
  if (!flags.follow) return { answer: { source, ...page }, lines: page.lines.map(lineOf) };
  for (const line of page.lines) cli.io.show(lineOf(line));
  const followed = await follow(cli, { runId, source, after: page.end, q });
  return { answer: { source, ...followed }, lines: [], exit: EXIT.interrupted };
}

function listLogs(
  sources: { id: string; label: string; sizeBytes: number; isShared: boolean }[],
): Result {
  const lines = formatTable(sources, [
    { title: "LOG", of: ({ id }) => id },
    { title: "OF", of: ({ label, isShared }) => (isShared ? `${label} (of all runs)` : label) },
    { title: "SIZE", of: ({ sizeBytes }) => bytes(sizeBytes), right: true },
  ]);
  return { answer: { sources }, lines };
}

function lineOf({ at, level, text }: LogLine): string {
  const when = at === null ? "" : `${time(at)} `;
  return `${when}${level === "unknown" ? "" : `${level} `}${text}`;
}

/** Until somebody asks to stop, or the server ends the stream. */
async function follow(
  { api, io, signal }: Cli,
  { q, ...from }: { runId: string; source: string; after: number; q: string | undefined },
): Promise<{ lines: number; end: number }> {
  let { after: end } = from;
  let lines = 0;
  try {
    const path = `${apiPath("log.tail")}?${toQuery(from)}`;
    const { body } = await api.open("GET", path, undefined, signal);
    if (!body) throw new CliError(EXIT.fault, "LiveRL answered with no stream.");
    for await (const frame of readEvents(body)) {
      const news = Frame.parse(frame);
      end = news.end;
      for (const line of news.lines) {
        if (q !== undefined && !line.text.toLowerCase().includes(q.toLowerCase())) continue;
        io.show(lineOf(line));
        lines += 1;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  if (!signal.aborted)
    throw new CliError(EXIT.away, "LiveRL went away: the rest of the log was not shown.");
  return { lines, end };
}
