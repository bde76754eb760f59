import { spawnSync } from "node:child_process";
import { Command, Option } from "commander";
import { expect, test } from "vitest";
import { complete } from "#completion/complete.ts";
import { completionScript } from "#completion/completion-script.ts";

const program = new Command("liverl").option("--json", "").option("--url <url>", "");
program.command("run").argument("<run>").option("-w, --wait", "");
const checkpoints = program.command("checkpoints");
checkpoints.command("list", { isDefault: true }).argument("<run>").option("--kind <kind>");
checkpoints.command("merge").argument("<run>").argument("<step>");
program
  .command("fork")
  .argument("<run>")
  .addOption(new Option("--how <way>").choices(["a", "b"]));

const of = (...words: string[]) => complete(program, words, async () => ["one-01", "two-01"]);

test.each([
  [[""], ["run", "checkpoints", "fork"]],
  [["ru"], ["run"]],
  [
    ["run", ""],
    ["one-01", "two-01"],
  ],
  [["run", "t"], ["two-01"]],
  [["run", "one-01", ""], []],
  [["--json", "run", "o"], ["one-01"]],
  [["--url", "http://x", "run", "o"], ["one-01"]],
  [["--url", ""], []],
  [
    ["run", "one-01", "--"],
    ["--wait", "--json", "--url", "--help"],
  ],
  [
    ["checkpoints", ""],
    ["list", "merge", "one-01", "two-01"],
  ],
  [["checkpoints", "merge", "o"], ["one-01"]],
  [["checkpoints", "one-01", "--k"], ["--kind"]],
  [["checkpoints", "merge", "--k"], []],
  [["checkpoints", "merge", "one-01", ""], []],
  [
    ["fork", "one-01", "--how", ""],
    ["a", "b"],
  ],
])("%j may go on with %j", async (words, expected) => expect(await of(...words)).toEqual(expected));

test("bash takes the script, and completes by it", () => {
  const script = `liverl() { printf '%s\\n' "$@" > /dev/null; echo "word-\${*: -1}"; }
${completionScript("bash")}
COMP_WORDS=(liverl run qu); COMP_CWORD=2; _liverl; printf '%s' "\${COMPREPLY[*]}"`;
  const { stdout, stderr, status } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  expect({ stdout, stderr, status }).toEqual({ stdout: "word-qu", stderr: "", status: 0 });
});
