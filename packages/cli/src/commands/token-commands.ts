import { MadeScope } from "@liverl/contract/api-token";
import { type Command, Option } from "commander";
import type { Act, Cli } from "#cli.ts";
import { whole } from "#commands/parse-number.ts";
import { CliError, EXIT } from "#exit-code.ts";
import { formatTable } from "#output/format-table.ts";
import { time } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

export function addTokenCommands(program: Command, act: Act): void {
  const token = program.command("token").description("Make, list and revoke API tokens.");
  token
    .command("create")
    .description("Make a token. It is shown once: only its hash is kept.")
    .argument("<name>", "what it does is recorded under token:<name>")
    .addOption(
      new Option("--scope <scope>", "what it opens").choices(MadeScope.options).default("read"),
    )
    .option("-p, --project <name>", "of an ingest token: it logs into this project alone")
    .option("--days <count>", "ends by itself after so many", whole(1))
    .action(act(create));
  token
    .command("list", { isDefault: true })
    .description("Names, scopes and when they were used.")
    .action(act(list));
  token
    .command("revoke")
    .description("Delete a token: it opens nothing any more.")
    .argument("<name>", "its name")
    .action(act(revoke));
}

/** `liverl browsers`: who is signed in. */
export function addBrowserCommands(program: Command, act: Act): void {
  const browsers = program.command("browsers").description("List and sign out browsers.");
  browsers
    .command("list", { isDefault: true })
    .description("Browsers that are signed in, and when they were last seen.")
    .action(act(listBrowsers));
  browsers
    .command("revoke")
    .description("Sign a browser out, or all of them.")
    .argument("[id]", "as `liverl browsers` shows it")
    .option("--all", "every browser")
    .action(act(revokeBrowsers));
}

async function listBrowsers({ api }: Cli): Promise<Result> {
  const answer = await api.get("browser.list", {});
  const lines = formatTable(answer.browsers, [
    { title: "BROWSER", of: ({ id }) => id },
    { title: "SIGNED IN", of: ({ createdAt }) => time(createdAt) },
    { title: "LAST SEEN", of: ({ lastUsedAt }) => time(lastUsedAt) },
    { title: "ENDS", of: ({ expiresAt }) => time(expiresAt) },
    { title: "NAMES ITSELF", of: ({ userAgent }) => userAgent },
  ]);
  return { answer, lines: lines.length > 0 ? lines : ["No browser is signed in."] };
}

async function revokeBrowsers(
  { api }: Cli,
  id: string | undefined,
  { all = false }: { all?: boolean },
): Promise<Result> {
  if ((id === undefined) !== all)
    throw new CliError(EXIT.usage, "Name one browser, or give --all.");
  if (id !== undefined) {
    const answer = await api.post("browser.revoke", { id });
    return { answer, lines: [`${id} is signed out.`] };
  }
  const answer = await api.post("browser.revokeAll", {});
  return { answer, lines: [`Signed out: ${answer.count}.`] };
}

async function create(
  { api, io }: Cli,
  name: string,
  { scope, project, days }: { scope: MadeScope; project?: string; days?: number },
): Promise<Result> {
  const answer = await api.post("token.create", { name, scope, project, days });
  const what = answer.project === null ? scope : `log into ${answer.project}`;
  io.say(`${name} may ${what}${answer.expiresAt ? ` until ${time(answer.expiresAt)}` : ""}`);
  return { answer, lines: [answer.token] };
}

async function list({ api }: Cli): Promise<Result> {
  const answer = await api.get("token.list", {});
  const lines = formatTable(answer.tokens, [
    { title: "TOKEN", of: ({ name }) => name },
    { title: "SCOPE", of: ({ scope }) => scope },
    { title: "PROJECT", of: ({ project }) => project },
    { title: "CREATED", of: ({ createdAt }) => time(createdAt) },
    { title: "ENDS", of: ({ expiresAt }) => time(expiresAt) },
    { title: "LAST USED", of: ({ lastUsedAt }) => time(lastUsedAt) },
  ]);
  return { answer, lines };
}

async function revoke({ api }: Cli, name: string): Promise<Result> {
  await api.post("token.revoke", { name });
  return { answer: { name }, lines: [`${name} is revoked`] };
}
