import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { readBounded } from "#sandboxes/docker/read-changes.ts";

it("reads an answer whole, and one that is too long no further", async () => {
  expect(await readBounded(Readable.from([Buffer.from("[1,"), Buffer.from("2]")]), 5)).toBe(
    "[1,2]",
  );
  let given = 0;
  const endless = Readable.from(
    (function* () {
      for (;;) {
        given++;
        yield Buffer.alloc(1_000);
      }
    })(),
  );
  expect(await readBounded(endless, 10_000)).toBeNull();
  expect(endless.destroyed).toBe(true);
  expect(given).toBeLessThan(50);
});
