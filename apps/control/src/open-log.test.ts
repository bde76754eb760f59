import { existsSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { openLog } from "#open-log.ts";

test.skipIf(!existsSync("/dev/full"))(
  "a full disk costs lines of the log, and is said once",
  () => {
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const log = openLog("/dev/full", "info");
    log.error("one");
    log.error("two");
    log.flush();
    expect(stderr.mock.calls.map(([text]) => text)).toEqual([
      expect.stringMatching(/^\/dev\/full can not be written: ENOSPC/),
    ]);
    stderr.mockRestore();
  },
);
