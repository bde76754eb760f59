import { expect, test } from "vitest";
import { ReplayWeights, StartReplay } from "#replay.ts";

const start = (url: string) =>
  StartReplay.safeParse({ rolloutId: "r", turn: 1, weights: { kind: "engine", url } });

test.each(["http://10.0.0.5:8000", "http://10.0.0.5:8000/", "HTTP://10.0.0.5:8000"])(
  "%s is an engine's address",
  (url) => {
    expect(start(url).data?.weights).toMatchObject({ url: "http://10.0.0.5:8000" });
  },
);

test.each([
  "http://user:secret@10.0.0.5:8000",
  "http://user@10.0.0.5:8000",
  "http://10.0.0.5:8000/v1",
  "http://10.0.0.5:8000/?key=secret",
  "http://10.0.0.5:8000/#a",
  "file:///x",
])("%s is none", (url) => {
  expect(start(url).error?.issues[0]?.message).toMatch(/^Give (an address|the engine's scheme)/);
});

test("of an older record only the place is shown", () => {
  const kept = { kind: "engine", url: "http://user:secret@10.0.0.5:8000/v1", api: "vllm" };
  expect(ReplayWeights.parse(kept)).toEqual({ ...kept, url: "http://10.0.0.5:8000" });
});
