import type { Command } from "commander";
import type { Act, Cli } from "#cli.ts";
import { real } from "#commands/parse-number.ts";
import { CliError, EXIT } from "#exit-code.ts";
import type { Result } from "#output/io.ts";

interface Of {
  project: string;
}
type Price = number | null;

/** What an hour of a device costs in a project. */
export function addPriceCommands(program: Command, act: Act): void {
  const prices = program
    .command("prices")
    .description("Show what device hours cost in a project, or set it.");
  prices
    .command("show", { isDefault: true })
    .description("By GPU-hour and by CPU-hour.")
    .requiredOption("-p, --project <name>", "of this project")
    .action(act(show));
  prices
    .command("set")
    .description("Set prices; what is not given stays. All runs of the project are reckoned anew.")
    .requiredOption("-p, --project <name>", "of this project")
    .option("--gpu-hour <price>", "of one GPU; none: no price", price)
    .option("--cpu-hour <price>", "of one process of the embedded policy; none: no price", price)
    .option("--currency <code>", "EUR, USD, …")
    .action(act(set));
}

/** Commander takes null for a word that is missing. */
const NO_PRICE = "none";
type Given = number | typeof NO_PRICE;
const price = (text: string): Given => (text === NO_PRICE ? NO_PRICE : real(text));

const inWords = (hour: Price, currency: string) =>
  hour === null ? "no price" : `${hour} ${currency} an hour`;

function linesOf({
  gpuHour,
  cpuHour,
  currency,
}: Record<"gpuHour" | "cpuHour", Price> & { currency: string }) {
  return [`GPU: ${inWords(gpuHour, currency)}`, `CPU: ${inWords(cpuHour, currency)}`];
}

async function show({ api }: Cli, { project }: Of): Promise<Result> {
  const answer = await api.get("price.get", { project });
  return { answer, lines: linesOf(answer) };
}

async function set(
  { api }: Cli,
  { project, ...given }: Of & { gpuHour?: Given; cpuHour?: Given; currency?: string },
): Promise<Result> {
  if (Object.keys(given).length === 0)
    throw new CliError(EXIT.usage, "Give --gpu-hour, --cpu-hour or --currency.");
  const now = await api.get("price.get", { project });
  const chosen = (before: Price, after: Given | undefined) =>
    after === NO_PRICE ? null : (after ?? before);
  const prices = {
    gpuHour: chosen(now.gpuHour, given.gpuHour),
    cpuHour: chosen(now.cpuHour, given.cpuHour),
    currency: given.currency ?? now.currency,
  };
  await api.post("price.set", { project, ...prices });
  return { answer: { project, ...prices }, lines: linesOf(prices) };
}
