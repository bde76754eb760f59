import { TokenScope } from "@liverl/contract/api-token";
import { type Command, Option } from "commander";
import type { Act, Cli } from "#cli.ts";
import { whole } from "#commands/parse-number.ts";
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
      new Option("--scope <scope>", "what it opens").choices(TokenScope.options).default("read"),
    )
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

async function create(
  { api, io }: Cli,
  name: string,
  { scope, days }: { scope: TokenScope; days?: number },
): Promise<Result> {
  const answer = await api.post("token.create", { name, scope, days });
  io.say(`${name} may ${scope}${answer.expiresAt ? ` until ${time(answer.expiresAt)}` : ""}`);
  return { answer, lines: [answer.token] };
}

async function list({ api }: Cli): Promise<Result> {
  const answer = await api.get("token.list", {});
  const lines = formatTable(answer.tokens, [
    { title: "TOKEN", of: ({ name }) => name },
    { title: "SCOPE", of: ({ scope }) => scope },
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
