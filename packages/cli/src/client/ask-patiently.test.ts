import { expect, test } from "vitest";
import type { Cli } from "#cli.ts";
import { askPatiently } from "#client/ask-patiently.ts";
import { CliError, EXIT } from "#exit-code.ts";

const said: string[] = [];
const cli = {
  io: { say: (line: string) => void said.push(line) },
  signal: new AbortController().signal,
} as unknown as Cli;

test("who waits outlives a restart of LiveRL, and hears of it", async () => {
  const answers = [new CliError(EXIT.away, "LiveRL can not be reached"), "there"];
  const ask = async () => {
    const next = answers.shift();
    if (next instanceof Error) throw next;
    return next;
  };
  expect(await askPatiently(cli, ask)).toBe("there");
  expect(said).toEqual(["LiveRL can not be reached"]);
});

test("any other refusal ends it at once", async () => {
  let asked = 0;
  const ask = () => {
    asked += 1;
    return Promise.reject(new CliError(EXIT.notFound, "There is no replay x."));
  };
  await expect(askPatiently(cli, ask)).rejects.toThrow("There is no replay x.");
  expect(asked).toBe(1);
});
