/**
 * `npm run e2e:reality -- agents [--only TEXT]… [--seed N] [--keep]`: real coding agents and SDKs through whole tasks on
 * session URLs of the proxy that ships, on a scripted engine that samples tokens no tokenizer would choose. The engine's
 * log judges. The last line of stdout is one JSON object; exit 0 only when every row that could run holds.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CLAUDE_CODE } from "#reality/agents/clients/claude-code.ts";
import type { Client } from "#reality/agents/clients/client.ts";
import { CODEX } from "#reality/agents/clients/codex.ts";
import { OPENCODE } from "#reality/agents/clients/opencode.ts";
import { SDKS } from "#reality/agents/clients/sdks.ts";
import { nonCanonicalShareBy } from "#reality/agents/engine/non-canonical-share.ts";
import { Vocabulary } from "#reality/agents/engine/vocabulary.ts";
import {
  TEMPLATES,
  type TemplateName,
  writeAgentModel,
} from "#reality/agents/engine/write-agent-model.ts";
import { installPackage } from "#reality/agents/install/install-package.ts";
import { buildReport } from "#reality/agents/rows/build-report.ts";
import { formatTable } from "#reality/agents/rows/format-table.ts";
import { emptyRow, type Row } from "#reality/agents/rows/row.ts";
import { type RowContext, runRow } from "#reality/agents/rows/run-row.ts";
import { canIsolate } from "#reality/agents/sandbox/run-client.ts";
import { startProxyProcess } from "#reality/agents/sandbox/start-proxy-process.ts";
import { COMPACTION_SCENARIO, OVERFLOW_SCENARIO } from "#reality/agents/scenarios/compaction.ts";
import { FAULTS_SCENARIO, LIVE_FAULTS_SCENARIO } from "#reality/agents/scenarios/faults.ts";
import { RESUME_SCENARIO } from "#reality/agents/scenarios/resume.ts";
import { BACKGROUND_SCENARIO, SUBAGENTS_SCENARIO } from "#reality/agents/scenarios/subagents.ts";
import {
  LIVE_SCENARIO,
  QWEN3_SCENARIO,
  THINKING_SCENARIO,
  TOOLS_SCENARIO,
} from "#reality/agents/scenarios/tools.ts";
import { TRUNCATED_SCENARIO } from "#reality/agents/scenarios/truncated.ts";

const CLIENTS: readonly Client[] = [...SDKS, ...CLAUDE_CODE, CODEX, ...OPENCODE];
const SCENARIOS = [
  TOOLS_SCENARIO,
  THINKING_SCENARIO,
  LIVE_SCENARIO,
  QWEN3_SCENARIO,
  RESUME_SCENARIO,
  FAULTS_SCENARIO,
  LIVE_FAULTS_SCENARIO,
  COMPACTION_SCENARIO,
  OVERFLOW_SCENARIO,
  SUBAGENTS_SCENARIO,
  BACKGROUND_SCENARIO,
  TRUNCATED_SCENARIO,
];
/** Text that the tokenizer is trained on: our own pages. */
const CORPUS = ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/glossary.md"];

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [""] },
    seed: { type: "string", default: "1" },
    keep: { type: "boolean", default: false },
  },
});

async function prepare(directory: string): Promise<RowContext> {
  const texts = await Promise.all(CORPUS.map((path) => readFile(path, "utf8")));
  const vocabulary = new Vocabulary(texts.join("\n"));
  const modelDirOf = (template: TemplateName) => join(directory, "models", template);
  for (const template of Object.keys(TEMPLATES) as TemplateName[])
    await writeAgentModel(modelDirOf(template), vocabulary, template);
  return {
    proxy: await startProxyProcess(directory),
    vocabulary,
    modelDirOf,
    directory: join(directory, "rows"),
    isolated: canIsolate(),
    seed: values.seed,
    nonCanonicalShare: nonCanonicalShareBy(modelDirOf("qwen2.5"), vocabulary),
  };
}

async function runClientRows(ctx: RowContext, client: Client): Promise<Row[]> {
  const scenarios = SCENARIOS.filter(
    ({ name }) =>
      client.scenarios.includes(name) &&
      values.only.some((text) => `${client.name} ${name}`.includes(text)),
  );
  if (scenarios.length === 0) return [];
  const installed = await installPackage(client.package);
  const rows: Row[] = [];
  for (const scenario of scenarios) {
    if ("missing" in installed) {
      process.stderr.write(`SKIPPED ${client.name}, ${scenario.name}: ${installed.missing}\n`);
      rows.push(emptyRow(client.name, scenario.name, "skipped", installed.missing));
      continue;
    }
    const row = await runRow(ctx, { client, scenario, installed });
    process.stderr.write(`${row.outcome} ${client.name}, ${scenario.name} (${row.wallS} s)\n`);
    rows.push(row);
  }
  return rows;
}

const directory = await mkdtemp(join(tmpdir(), "liverl-agents-"));
const ctx = await prepare(directory);
if (!ctx.isolated)
  process.stderr.write("no network namespaces here: clients run with quiet settings alone\n");
const rows: Row[] = [];
for (const client of CLIENTS) rows.push(...(await runClientRows(ctx, client)));
await ctx.proxy.stop();
const report = buildReport(rows, ctx.isolated);
if (values.keep || !report.ok) process.stderr.write(`what happened is kept in ${directory}\n`);
else await rm(directory, { recursive: true, force: true });
process.stdout.write(`${formatTable(rows)}${JSON.stringify(report)}\n`, () =>
  process.exit(report.ok ? 0 : 1),
);
