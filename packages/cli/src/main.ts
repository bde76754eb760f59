import { Argument, type Command, CommanderError } from "commander";
import type { Act, Cli } from "#cli.ts";
import { ApiClient } from "#client/api-client.ts";
import { type Asked, findServer } from "#client/find-server.ts";
import { complete } from "#completion/complete.ts";
import { completionScript, SHELLS, type Shell } from "#completion/completion-script.ts";
import { readEnv } from "#env.ts";
import { CliError, EXIT } from "#exit-code.ts";
import { serveMcp } from "#mcp/serve-mcp.ts";
import { openIo } from "#output/io.ts";
import { plainText } from "#output/plain-text.ts";
import { buildProgram } from "#program.ts";

/** A shell waits for what is completed. */
const COMPLETION_MS = 1_500;

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    // The second time somebody means it.
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort();
  });
// A reader that has seen enough, `| head`, is no fault.
process.stdout.on("error", () => process.exit(EXIT.ok));

const act: Act =
  (work) =>
  async (...given) => {
    const rest: unknown[] = [...given];
    const command = rest.pop() as Command;
    const cli = await openCli(command.optsWithGlobals());
    const result = await (work as (cli: Cli, ...given: unknown[]) => ReturnType<typeof work>)(
      cli,
      ...rest,
    );
    cli.io.finish(result);
    process.exitCode = result.exit ?? EXIT.ok;
  };

async function openCli(flags: Asked & { json?: boolean }): Promise<Cli> {
  const api = new ApiClient(await findServer(flags, readEnv()));
  return { api, io: openIo(flags.json === true, process), signal: stop.signal };
}

/** Commands whose stdout is a protocol, or that need no server. */
function addPlainCommands(program: Command): void {
  program
    .command("mcp")
    .description("Serve the API's operations as tools of the Model Context Protocol, on stdio.")
    .option("--read-only", "no tool that acts")
    .action(async (_: object, command: Command) => {
      const flags = command.optsWithGlobals();
      await serveMcp(await openCli(flags), flags.readOnly === true);
    });
  program
    .command("completion")
    .description('Print a script that completes words: eval "$(liverl completion bash)".')
    .addArgument(new Argument("<shell>", "which").choices(SHELLS))
    .action((shell: Shell) => {
      process.stdout.write(`${completionScript(shell)}\n`);
    });
  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => {
      const found = await complete(program, words, () => listRunIds(words));
      process.stdout.write(found.map((word) => `${plainText(word)}\n`).join(""));
    });
}

/** Of the server that the words name; none where it does not answer soon. */
async function listRunIds(words: readonly string[]): Promise<string[]> {
  const after = (flag: string) => words[words.indexOf(flag) + 1];
  const has = (flag: string) => words.includes(flag);
  const asked: Asked = {
    ...(has("--url") && { url: after("--url") }),
    ...(has("--token") && { token: after("--token") }),
    ...(has("--data-dir") && { dataDir: after("--data-dir") }),
  };
  try {
    const api = new ApiClient(await findServer(asked, readEnv()));
    const soon = AbortSignal.timeout(COMPLETION_MS);
    const answer = await api.open("GET", "/api/v1/run/list", undefined, soon);
    return ((await answer.json()) as { runs: { id: string }[] }).runs.map(({ id }) => id);
  } catch {
    return [];
  }
}

function exitOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (stop.signal.aborted) return EXIT.interrupted;
  if (!(error instanceof CliError)) {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return EXIT.fault;
  }
  process.stderr.write(`${plainText(error.message)}\n`);
  return error.exit;
}

const program = buildProgram(act);
addPlainCommands(program);
const throwAll = (command: Command): void => {
  command.exitOverride();
  command.commands.forEach(throwAll);
};
throwAll(program);
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitOf(error);
}
