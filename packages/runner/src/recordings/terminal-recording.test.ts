import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CastEvent, CastHeader, RECORDING_FILE } from "@liverl/contract/recording";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TerminalRecording } from "#recordings/terminal-recording.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "liverl-recording-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function read() {
  const [header = "", ...lines] = readFileSync(join(root, RECORDING_FILE), "utf8")
    .trimEnd()
    .split("\n");
  CastHeader.parse(JSON.parse(header));
  const events = lines.map((line) => CastEvent.parse(JSON.parse(line)));
  const text = events.flatMap(([, code, data]) => (code === "o" ? data : [])).join("");
  return { events, text };
}

it("shows each command, what it printed and how it failed, at its own time", async () => {
  const recording = new TerminalRecording(root, []);
  const first = recording.begin("ls\npwd");
  await new Promise((resolve) => setTimeout(resolve, 60));
  first.output(Buffer.from("a\n"));
  // What was written so far can be read while the command goes on.
  expect(read().text).toContain("a\r\n");
  first.output(Buffer.from([0xc3]));
  first.output(Buffer.from([0xa4]));
  first.end("[exit code 2]");
  recording.close();
  const { events, text } = read();
  expect(text).toContain("ls\r\npwd\r\n");
  expect(text).toContain("a\r\nä\r\n");
  expect(text).toContain("[exit code 2]");
  expect(events.filter(([, code]) => code === "m").map(([, , data]) => data)).toEqual(["ls"]);
  const [began, printed] = [events[0]?.[0] ?? 0, events[2]?.[0] ?? 0];
  expect(printed - began).toBeGreaterThanOrEqual(0.05);
  expect(events.map(([at]) => at)).toEqual(events.map(([at]) => at).sort((a, b) => a - b));
});

it("bounds one command and all of them, and says so", () => {
  const recording = new TerminalRecording(root, []);
  for (let command = 0; command < 20; command++) {
    const shown = recording.begin(`command ${command}`);
    for (let chunk = 0; chunk < 16; chunk++) shown.output(Buffer.alloc(64 * 1024, "y"));
    shown.end(null);
  }
  recording.close();
  const { text } = read();
  expect(text.match(/more of this command is not recorded/g)?.length).toBeGreaterThan(5);
  expect(text).toContain("the recording ends here");
  expect(statSync(join(root, RECORDING_FILE)).size).toBeLessThan(2.5 * 1024 * 1024);
});

it("holds no secret, and no recording that the agent left in its place", async () => {
  const recording = new TerminalRecording(root, ["a-secret-key"]);
  const shown = recording.begin("echo a-secret-key");
  shown.output(Buffer.from("a-secret-key\n"));
  shown.end(null);
  await recording.keepDuring(async () => {
    mkdirSync(join(root, "agent"), { recursive: true });
    writeFileSync(join(root, RECORDING_FILE), "the agent's own");
  });
  const { text } = read();
  expect(text).toContain("echo ****");
  expect(text).not.toContain("a-secret-key");
});
