import { expect, it } from "vitest";
import { AnnouncedOutput } from "#sandboxes/announced-output.ts";
import { BoundedOutput } from "#sandboxes/bounded-output.ts";

function hear(...chunks: string[]) {
  const output = new AnnouncedOutput(new BoundedOutput(1_000));
  for (const chunk of chunks) output.push(Buffer.from(chunk));
  return { group: output.group, text: output.text() };
}

it("keeps the group apart from what comes after, however it is cut", () => {
  expect(hear("42\nhello")).toEqual({ group: 42, text: "hello" });
  expect(hear("4", "2", "\n", "hel", "lo")).toEqual({ group: 42, text: "hello" });
});

it.each(["OCI runtime exec failed\n", "1\nx", "0\n", "-1\n", "9 -1\n", "NaN\n"])(
  "takes no group from %j",
  (said) => expect(hear(said)).toEqual({ group: null, text: said }),
);

it("keeps what was said in place of a group", () => {
  expect(hear("no shell")).toEqual({ group: null, text: "no shell" });
});

it("waits for the end of a line no longer than a number has", () => {
  const output = new AnnouncedOutput(new BoundedOutput(100));
  const chunk = Buffer.alloc(64 * 1024, "x");
  for (let i = 0; i < 2_000; i++) output.push(chunk);
  expect(output.text().length).toBeLessThan(200);
  output.push(Buffer.from("\n7\n"));
  expect(output.group).toBeNull();
});
