import { expect, it } from "vitest";
import { lifeFault, lifeOf } from "#sandboxes/docker/container-life.ts";

const running = (more: object = {}, EndpointID = "one") => ({
  State: { Running: true, OOMKilled: false, StartedAt: "10:00", ...more },
  NetworkSettings: { Networks: { none: { EndpointID } } },
});
const known = lifeOf(running());
const typeOf = (found: ReturnType<typeof running> | null, before = known, byItself = false) =>
  lifeFault("box", before, found, byItself)?.exceptionType ?? null;

it("has no fault where the container was let alone", () => {
  expect(typeOf(running())).toBeNull();
  expect(lifeFault("box", null, running({ StartedAt: "11:00" }), false)).toBeNull();
});

it("names what happened from outside", () => {
  expect(typeOf(null)).toBe("SandboxLostError");
  expect(typeOf(running({ Running: false }))).toBe("SandboxLostError");
  expect(typeOf(running({ Running: false, OOMKilled: true }))).toBe("SandboxLostError");
  expect(typeOf(running({ StartedAt: "11:00" }))).toBe("SandboxLostError");
  expect(typeOf(running({ StartedAt: "11:00", Running: false }), known, true)).toBe(
    "SandboxLostError",
  );
  expect(typeOf(running({}, "two"))).toBe("SandboxNetworkLostError");
});

it("tells what a process in it did", () => {
  expect(typeOf(running({ Running: false }), known, true)).toBe("SandboxEndedError");
  expect(typeOf(running({ Running: false, OOMKilled: true }), known, true)).toBe(
    "SandboxOutOfMemoryError",
  );
});

it("keeps apart a process that memory ran out for, and the whole container", () => {
  expect(typeOf(running({ OOMKilled: true }))).toBeNull();
});
