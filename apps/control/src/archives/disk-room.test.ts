import { expect, test } from "vitest";
import { DiskRoom } from "#archives/disk-room.ts";

const GB = 1e9;

test("two that write at once count each other's bytes; what was given up is free again", async () => {
  const room = new DiskRoom(async () => ({ bytes: 12 * GB, files: null }));
  let end = () => {};
  const writing = new Promise<void>((resolve) => {
    end = resolve;
  });
  const both = [1, 2].map(() => room.holdFor("/", 6 * GB, () => writing));
  await expect(Promise.race(both)).rejects.toThrow(/no room/);
  end();
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
  ]);
  await room.holdFor("/", 6 * GB, async () => undefined);
});

test("some of the disk is left, and some files", async () => {
  const nothing = async () => undefined;
  const little = new DiskRoom(async () => ({ bytes: 2.5 * GB, files: null }));
  await expect(little.holdFor("/", GB, nothing)).rejects.toThrow(/no room/);
  await little.holdFor("/", 0.4 * GB, nothing);
  const few = new DiskRoom(async () => ({ bytes: 100 * GB, files: 50 }));
  await expect(few.holdFor("/", 1, nothing)).rejects.toThrow(/no room/);
});
