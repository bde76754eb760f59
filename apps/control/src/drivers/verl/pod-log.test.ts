import fc from "fast-check";
import { expect, test } from "vitest";
import { LogReplay } from "#drivers/verl/log-replay.ts";
import { type LogPlace, PlacedReader } from "#drivers/verl/placed-reader.ts";
import { secondOf, type TimedLine, TimedLines } from "#kube/timed-lines.ts";

const stampAt = (ms: number) => `${new Date(ms).toISOString().slice(0, -1)}000000Z`;
const lineOf = (text: string, stamp: string | null = stampAt(0)): TimedLine => ({
  stamp,
  content: Buffer.from(text),
});
const START = { uid: "a", since: null, seen: 0, last: "", size: 0 };

test("lines are cut wherever the chunks are, bytes as they were", () => {
  const bytes = Buffer.concat([
    Buffer.from(`${stampAt(1)} é \r50%\r\n${stampAt(2)} \n`),
    Buffer.from([0xff, 0xfe]),
    Buffer.from(`\n${stampAt(3)} no end`),
  ]);
  for (let at = 0; at <= bytes.length; at++) {
    const lines = new TimedLines();
    const cut = [...lines.push(bytes.subarray(0, at)), ...lines.push(bytes.subarray(at))];
    const rest = lines.rest();
    expect(cut.map(({ stamp }) => stamp)).toEqual([stampAt(1), stampAt(2), null]);
    expect(cut.map(({ content }) => content.toString("latin1"))).toEqual([
      Buffer.from("é \r50%\r\n").toString("latin1"),
      "\n",
      "\xff\xfe\n",
    ]);
    expect(rest).toEqual(lineOf("no end", stampAt(3)));
    expect(lines.rest()).toBeNull();
  }
});

/** What the API server gives from a whole second on: each line by its own time, in the order of the file. */
const served = (log: readonly TimedLine[], since: string | null) =>
  log.filter(({ stamp }) => since === null || secondOf(stamp ?? "") >= since);

test("broken connections and killed lives lose and repeat no byte", () => {
  const step = fc.record({
    gapMs: fc.nat({ max: 400 }),
    // Two streams of a container may be a little out of order.
    lateMs: fc.nat({ max: 600 }),
    text: fc.string({ maxLength: 6 }),
  });
  const life = fc.record({
    lines: fc.nat({ max: 30 }),
    /** Places that were never written: control was killed before. */
    forgets: fc.boolean(),
    /** Bytes of the last line that did not reach the disk. */
    torn: fc.nat({ max: 3 }),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.array(life, { maxLength: 8 }),
      (steps, lives) => {
        let at = 1_700_000_000_000;
        const log = steps.map(({ gapMs, lateMs, text }, i) => {
          at += gapMs;
          return lineOf(`${i} ${text}\n`, stampAt(at - lateMs));
        });
        let file = Buffer.alloc(0);
        let place: LogPlace = START;
        const live = (most: number, forgets: boolean, torn: number) => {
          const reader = new PlacedReader(place, file.length);
          for (const line of served(log, place.since).slice(0, most))
            file = Buffer.concat([file, reader.take(line)]);
          expect(reader.hasGap).toBe(false);
          if (forgets) file = file.subarray(0, Math.max(place.size, file.length - torn));
          else place = reader.place;
        };
        for (const { lines, forgets, torn } of lives) live(lines, forgets, torn);
        live(Number.POSITIVE_INFINITY, false, 0);
        expect(file.toString()).toBe(log.map(({ content }) => content.toString()).join(""));
      },
    ),
    {
      numRuns: 300,
      // A second line of the second before the first one's.
      examples: [
        [
          [
            { gapMs: 0, lateMs: 0, text: "" },
            { gapMs: 0, lateMs: 1, text: "" },
          ],
          [{ lines: 1, forgets: false, torn: 0 }],
        ],
      ],
    },
  );
});

test("lines that the node has thrown away are noticed, those behind them kept", () => {
  const log = [1, 2, 3, 4].map((n) => lineOf(`${n}\n`, stampAt(1_000 + n)));
  const first = new PlacedReader(START, 0);
  for (const line of log.slice(0, 2)) first.take(line);
  const second = new PlacedReader(first.place, first.place.size);
  const kept = log.slice(3).map((line) => second.take(line).toString());
  expect({ kept, hasGap: second.hasGap }).toEqual({ kept: ["4\n"], hasGap: true });
});

test("a second submitter's log is taken from where the first one's stopped", () => {
  const file = "Job submitted\nline 1\nline 2\n";
  const replay = new LogReplay(Buffer.from(file.slice(-14)), file.length);
  const texts = ["Waiting for Ray\n", "line 1\n", "line 2\n", "line 3\n"];
  const taken = texts.flatMap((text) => replay.take(lineOf(text)));
  expect(taken.map(({ content }) => content.toString()).join("")).toBe("line 3\n");
  expect(taken).toHaveLength(4);
});

test("a second submitter that prints something else loses nothing", () => {
  const replay = new LogReplay(Buffer.from("line 2\n"), 7);
  expect(replay.take(lineOf("another job\n"))).toEqual([]);
  expect(replay.giveUp()).toEqual([lineOf("another job\n")]);
  expect(replay.take(lineOf("goes on\n"))).toEqual([lineOf("goes on\n")]);
  const long = new LogReplay(Buffer.from("line 2\n"), 7);
  expect(long.take(lineOf(`${"x".repeat(300_000)}\n`))).toHaveLength(1);
});
