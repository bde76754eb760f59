import { expect, test } from "vitest";
import { readEvents } from "#client/read-events.ts";

async function* bytesOf(...texts: string[]) {
  const whole = Buffer.from(texts.join(""));
  // In pieces of three: a frame, and a character, are cut anywhere.
  for (let at = 0; at < whole.length; at += 3) yield whole.subarray(at, at + 3);
}
const all = async (stream: AsyncIterable<Uint8Array>) => {
  const frames: unknown[] = [];
  for await (const frame of readEvents(stream)) frames.push(frame);
  return frames;
};

test("frames come whole however they are cut; heartbeats are none", async () => {
  const frames = await all(bytesOf(": here\n\n", 'id: 1\ndata: {"a":"ü"}\n\n', "data: 2\n\n"));
  expect(frames).toEqual([{ a: "ü" }, 2]);
});

test("an error of the stream is the program's", async () => {
  const error = 'event: error\ndata: {"error":{"code":"NOT_FOUND","message":"gone"}}\n\n';
  await expect(all(bytesOf(error))).rejects.toMatchObject({ exit: 3, message: "gone" });
});
