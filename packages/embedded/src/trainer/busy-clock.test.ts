import { afterEach, expect, test, vi } from "vitest";
import { BusyClock } from "#trainer/busy-clock.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("busy time is what lies between the laps, whatever goes on over them", () => {
  vi.useFakeTimers();
  const clock = new BusyClock();
  vi.advanceTimersByTime(1000);
  clock.isBusy = true;
  vi.advanceTimersByTime(2000);
  expect(clock.lap()).toEqual({ busyS: 2, totalS: 3 });
  vi.advanceTimersByTime(500);
  clock.isBusy = true;
  vi.advanceTimersByTime(500);
  clock.isBusy = false;
  vi.advanceTimersByTime(3000);
  expect(clock.lap()).toEqual({ busyS: 1, totalS: 4 });
  expect(clock.lap()).toEqual({ busyS: 0, totalS: 0 });
});
