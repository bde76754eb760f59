import { beforeEach, expect, test, vi } from "vitest";
import { forgetDraft, readLastDraft, rememberDraft } from "#launch/last-draft.ts";

const NOTHING = { preset: null, from: null, step: null, how: null };
beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
});

test("the last draft of a project is found again until it is done with", () => {
  expect(readLastDraft("a")).toBeNull();
  rememberDraft("a", "?from=small-verl-03&step=4&how=weights&view=yaml");
  rememberDraft("b", "?preset=verl-sync");
  expect(readLastDraft("a")).toEqual({
    ...NOTHING,
    from: "small-verl-03",
    step: 4,
    how: "weights",
  });
  expect(readLastDraft("b")).toEqual({ ...NOTHING, preset: "verl-sync" });
  forgetDraft("a");
  expect(readLastDraft("a")).toBeNull();
});

test("a damaged note is none", () => {
  rememberDraft("a", "?step=x&how=never");
  expect(readLastDraft("a")).toBeNull();
  rememberDraft("a", "?from=r&step=x&how=never");
  expect(readLastDraft("a")).toEqual({ ...NOTHING, from: "r" });
});
