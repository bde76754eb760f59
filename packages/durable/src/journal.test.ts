import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Journal, openJournal } from "#journal.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "journal-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function contents(journal: Journal, from?: number) {
  const found: unknown[] = [];
  for await (const { seq, record } of journal.replay(from)) found.push([seq, record]);
  return found;
}

test("what was acknowledged is there after a reopen, in order", async () => {
  const journal = await openJournal({ directory });
  const acks = await Promise.all(Array.from({ length: 100 }, (_, i) => journal.append({ i })));
  expect(acks.map((ack) => ack.seq)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  await journal.close();
  const again = await openJournal({ directory });
  expect(again.lastSeq).toBe(100);
  expect(await contents(again, 99)).toEqual([
    [99, { i: 98 }],
    [100, { i: 99 }],
  ]);
  await again.append({ i: 100 });
  expect(again.lastSeq).toBe(101);
  await again.close();
});

test("a torn tail is cut, at every byte", async () => {
  const journal = await openJournal({ directory });
  await journal.append("first");
  await journal.append({ second: true });
  await journal.close();
  const [name] = await readdir(directory);
  const path = join(directory, name!);
  const whole = await readFile(path);
  const firstLength = 8 + JSON.stringify("first").length;
  for (let cut = firstLength; cut < whole.length; cut++) {
    await writeFile(path, whole.subarray(0, cut));
    const torn = await openJournal({ directory });
    expect(await contents(torn)).toEqual([[1, "first"]]);
    expect(torn.tornBytes).toBe(cut - firstLength);
    await torn.append("after");
    await torn.close();
    const again = await openJournal({ directory });
    expect(await contents(again)).toEqual([
      [1, "first"],
      [2, "after"],
    ]);
    await again.close();
  }
});

test("segments roll over, replay joins them, truncateBefore drops whole ones", async () => {
  const journal = await openJournal({ directory, maxSegmentBytes: 64 });
  for (let i = 1; i <= 20; i++) await journal.append({ i });
  expect((await readdir(directory)).length).toBeGreaterThan(3);
  expect(await contents(journal)).toHaveLength(20);
  await journal.truncateBefore(15);
  const left = await contents(journal);
  expect(left.at(-1)).toEqual([20, { i: 20 }]);
  expect(left.some((entry) => Array.isArray(entry) && entry[0] === 15)).toBe(true);
  await journal.close();
  const again = await openJournal({ directory, maxSegmentBytes: 64 });
  expect(await contents(again)).toEqual(left);
  await again.close();
});

test("damage before an acknowledged record is refused, also in the newest segment", async () => {
  const journal = await openJournal({ directory });
  for (let i = 1; i <= 6; i++) await journal.append({ i });
  await journal.close();
  const path = join(directory, (await readdir(directory))[0]!);
  const whole = await readFile(path);
  const recordBytes = whole.length / 6;
  // In the length, the checksum and the payload of the third record.
  for (const within of [0, 3, 5, 10]) {
    const bytes = Buffer.from(whole);
    bytes[2 * recordBytes + within]! ^= 0x55;
    await writeFile(path, bytes);
    await expect(openJournal({ directory })).rejects.toThrow(/damaged in the middle/);
    expect(await readFile(path)).toEqual(bytes);
  }
});

test("a batch that was written in part is cut, whatever of it arrived", async () => {
  const journal = await openJournal({ directory });
  await journal.append({ i: 1 });
  const sizeOfFirst = (await readFile(join(directory, (await readdir(directory))[0]!))).length;
  await Promise.all([2, 3, 4].map((i) => journal.append({ i })));
  await journal.close();
  const path = join(directory, (await readdir(directory))[0]!);
  const bytes = await readFile(path);
  bytes.fill(0, sizeOfFirst, sizeOfFirst + 12);
  await writeFile(path, bytes);
  const torn = await openJournal({ directory });
  expect(await contents(torn)).toEqual([[1, { i: 1 }]]);
  await torn.close();
});

test("damage in the middle is refused, not skipped", async () => {
  const journal = await openJournal({ directory, maxSegmentBytes: 32 });
  for (let i = 1; i <= 6; i++) await journal.append({ i });
  await journal.close();
  const [first] = (await readdir(directory)).sort();
  const path = join(directory, first!);
  const bytes = await readFile(path);
  bytes[9]! ^= 1;
  await writeFile(path, bytes);
  const damaged = await openJournal({ directory, maxSegmentBytes: 32 });
  await expect(contents(damaged)).rejects.toThrow(/damaged in the middle/);
  await damaged.close();
});

test("bytes of another writer at the tail are cut like a torn record", async () => {
  const journal = await openJournal({ directory });
  await journal.append(1);
  await journal.close();
  const [name] = await readdir(directory);
  await appendFile(join(directory, name!), Buffer.alloc(64));
  const again = await openJournal({ directory });
  expect(await contents(again)).toEqual([[1, 1]]);
  await again.close();
});
