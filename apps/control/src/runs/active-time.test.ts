import { expect, test } from "vitest";
import { activeTime } from "#runs/active-time.ts";

const move = (seconds: number, message: string) => ({ at: new Date(seconds * 1000), message });

test("the pause between an end and a resume does not count", () => {
  const moves = [
    move(0, "queued"),
    move(10, "booting"),
    move(15, "running"),
    move(40, "cancelled: stopped after step 3"),
    move(900, "queued: resumes from step 3"),
    move(905, "booting"),
  ];
  expect(activeTime(moves)).toEqual({ seconds: 30, since: new Date(905_000) });
  expect(activeTime([...moves, move(925, "succeeded: all 12 steps done")])).toEqual({
    seconds: 50,
    since: null,
  });
});

test("a run that never began took no time", () => {
  expect(activeTime([move(0, "queued"), move(5, "cancelled")])).toEqual({
    seconds: 0,
    since: null,
  });
});
