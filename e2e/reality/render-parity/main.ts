import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compare } from "./compare.ts";
import { prepare } from "./prepare.ts";
import { renderSnippets, renderTemplates } from "./render-sides.ts";

// Our side of the comparison: without --compare it writes what the reference reads, with it compares what that wrote.
const [templates, conversations, snippets, work] = process.argv.slice(2);
if (!templates || !conversations || !snippets || !work)
  throw new Error("usage: render-parity TEMPLATES CONVERSATIONS SNIPPETS WORK [--compare]");
const lines = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");
const sources = readdirSync(templates)
  .filter((file) => file.endsWith(".jinja"))
  .sort()
  .map((file) => ({
    name: file.slice(0, -".jinja".length),
    source: readFileSync(join(templates, file), "utf8"),
  }));

if (process.argv.includes("--compare")) {
  const report = await compare(work, {
    templates: renderTemplates(sources, lines(conversations)),
    snippets: renderSnippets(lines(snippets)),
  });
  process.stdout.write(`${report.table}\n${JSON.stringify(report.summary)}\n`);
  process.exitCode = report.summary.ok ? 0 : 1;
} else {
  await prepare(work, sources, lines(conversations));
}
