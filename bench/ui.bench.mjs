// How the pages feel on a slow machine: a real LiveRL, a real Chromium throttled to the speed of a slow desktop. Each file in
// `bench/ui` is one claim with budgets of its own and measures a floor beside them: the least that this machine takes, just now.
// `--only NAME` runs one claim; `--throttle 4` runs the pages at a quarter of this machine's speed instead. Prints one JSON object last; exit 0 only when every claim holds.
import { readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { LiveRL, report, say } from "./liverl.mjs";
import { openBrowser } from "./throttled-browser.mjs";

const { values } = parseArgs({
  options: { only: { type: "string" }, throttle: { type: "string" }, json: { type: "boolean" } },
});
const known = readdirSync(new URL("ui", import.meta.url))
  .filter((file) => file.endsWith(".mjs"))
  .map((file) => file.slice(0, -4))
  .sort();
const names = values.only === undefined ? known : known.filter((name) => name === values.only);
if (names.length === 0) {
  process.stderr.write(`There is no claim ${values.only}; there are ${known.join(", ")}.\n`);
  process.exit(2);
}

const liverl = await LiveRL.create();
await liverl.start();
const browser = await openBrowser(
  liverl,
  values.throttle === undefined ? null : Number(values.throttle),
);
const results = {};
for (const name of names) {
  say(name);
  const { claim } = await import(`./ui/${name}.mjs`);
  results[name] = await claim({ liverl, browser });
}
await browser.close();
await liverl.stop();
liverl.remove();
const of = (part) => Object.fromEntries(names.map((name) => [name, results[name][part]]));
report("ui", {
  ok: names.every((name) => results[name].ok),
  figures: { cpu: browser.cpu, ...of("figures") },
  peers: of("floor"),
});
