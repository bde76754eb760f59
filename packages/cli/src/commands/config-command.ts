import type { ConfigValue } from "@liverl/contract/run-config";
import type { Command } from "commander";
import { stringify } from "yaml";
import type { Act, Cli } from "#cli.ts";
import { formatTable } from "#output/format-table.ts";
import type { Result } from "#output/io.ts";

interface Flags {
  origin?: true;
  vs?: string;
  changed?: true;
}

/** What a run was launched with. */
export function addConfigCommand(program: Command, act: Act): void {
  program
    .command("config")
    .description("Print the spec that a run was launched with, as YAML, or its values in a table.")
    .argument("<run>", "its id")
    .option("--origin", "where each value comes from: preset, parent, default, override")
    .option("--vs <run>", "against another run; `base`: against the preset or run it began as")
    .option("--changed", "only what differs; without --vs, what the launch itself said")
    .action(act(config));
}

async function config({ api }: Cli, runId: string, flags: Flags): Promise<Result> {
  const { origin, vs, changed } = flags;
  if (!origin && vs === undefined && !changed) {
    const answer = await api.get("launch.specOf", { runId });
    return { answer, lines: [stringify(answer).trimEnd()] };
  }
  const answer = await api.get("run.config", { runId, vs });
  const isChanged = (one: ConfigValue) =>
    vs === undefined ? one.source === "override" : one.differs;
  const values = changed ? answer.values.filter(isChanged) : answer.values;
  const lines = formatTable(values, [
    { title: "KEY", of: ({ path }) => path },
    { title: "VALUE", of: ({ value }) => inWords(value) },
    ...(answer.vs
      ? [{ title: answer.vs.label.toUpperCase(), of: ({ other }: ConfigValue) => inWords(other) }]
      : []),
    { title: "FROM", of: ({ source }) => source },
    { title: "WAS", of: ({ source, was }) => (source === "override" ? inWords(was) : null) },
  ]);
  return { answer: { ...answer, values }, lines };
}

const inWords = (value: unknown): string | null =>
  value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value);
