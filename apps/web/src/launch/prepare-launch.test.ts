import { LaunchSpec, type PreflightItem } from "@liverl/contract/launch";
import { expect, test } from "vitest";
import { blocksLaunch } from "#launch/blocks-launch.ts";
import { LAUNCH_FIELDS } from "#launch/launch-fields.ts";
import { fieldText, parseField } from "#launch/parse-field.ts";
import { prepareChanges } from "#launch/prepare-changes.ts";
import { prepareFieldFaults, preparePreflight } from "#launch/prepare-preflight.ts";
import { prepareProvenance } from "#launch/prepare-provenance.ts";

function shapePaths(shape: Record<string, unknown>, prefix = ""): string[] {
  return Object.entries(shape).flatMap(([key, schema]) => {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    const inner =
      typeof schema === "object" && schema !== null && "shape" in schema ? schema.shape : null;
    return typeof inner === "object" && inner !== null
      ? shapePaths(inner as Record<string, unknown>, path)
      : [path];
  });
}

test("the form has a field for every value of the spec and no other", () => {
  expect(LAUNCH_FIELDS.map((field) => field.path).sort()).toEqual(
    shapePaths(LaunchSpec.shape).sort(),
  );
});

test("a field's text becomes a number only when it is one", () => {
  const field = { path: "x", label: "", kind: "number", hint: "" } as const;
  expect(parseField(field, "1e-3")).toBe(0.001);
  expect(parseField(field, " 8 ")).toBe(8);
  expect(parseField(field, "1e-")).toBe("1e-");
  expect(parseField(field, "")).toBe("");
  expect(parseField({ ...field, nullable: true }, " ")).toBeNull();
  expect(parseField({ ...field, kind: "text" }, "8")).toBe("8");
});

test.each([
  [0.00001, "1e-5"],
  [0.0012, "0.0012"],
  [0, "0"],
  [null, ""],
  [undefined, ""],
  ["a", "a"],
  [100, "100"],
])("%s is shown as %s", (value, text) => {
  expect(fieldText(value)).toBe(text);
});

test("each value says where it comes from", () => {
  const base = { driver: "embedded", optim: { lr: 1, grad_clip: 2 } };
  const sources = prepareProvenance(
    { driver: "embedded", optim: { lr: 3, grad_clip: 2 }, extra: 1 },
    base,
    "parent",
  );
  expect(sources.get("optim.lr")).toEqual({ source: "override", was: 1 });
  expect(sources.get("optim.grad_clip")?.source).toBe("parent");
  expect(sources.get("driver")?.source).toBe("locked");
  expect(sources.get("extra")?.source).toBe("override");
  expect(sources.get("batch.n")?.source).toBe("missing");
});

test("changes list what differs, what is new and what is gone", () => {
  const { changes, values } = prepareChanges(
    { name: "b", a: { x: 1, z: 2 } },
    { name: "a", a: { x: 0, y: null } },
  );
  expect(values).toBe(4);
  expect(changes).toEqual([
    { path: "a.x", before: "0", after: "1" },
    { path: "a.y", before: "null", after: undefined },
    { path: "a.z", before: undefined, after: "2" },
  ]);
});

const check = (
  id: string,
  status: PreflightItem["status"],
  field: string | null = null,
): PreflightItem => ({
  id,
  status,
  title: `${id}!`,
  why: "",
  fix: null,
  field,
});

test("failed checks come first", () => {
  const preflight = preparePreflight([check("a", "pass"), check("b", "warn"), check("c", "fail")]);
  expect(preflight.open.map((item) => item.id)).toEqual(["c", "b"]);
  expect(preflight.counts).toEqual({ fail: 1, warn: 1, pass: 1 });
});

test("a field shows its worst fault", () => {
  const faults = prepareFieldFaults(
    [{ path: "batch.n", message: "too small" }],
    [check("w", "warn", "optim.lr"), check("f", "fail", "optim.lr"), check("n", "fail", "batch.n")],
  );
  expect(faults.get("batch.n")?.message).toBe("too small");
  expect(faults.get("optim.lr")).toEqual({ level: "fail", message: "f!" });
});

test.each([
  [{ yamlFault: true }, "The YAML does not parse"],
  [{ faults: 2 }, "2 values are not valid"],
  [{ fails: 1 }, "1 check blocks launch"],
  [{ checking: true }, "Checking"],
  [{}, null],
])("%o blocks with %s", (change, reason) => {
  expect(
    blocksLaunch({
      yamlFault: false,
      faults: 0,
      fails: 0,
      checking: false,
      unreachable: false,
      ...change,
    }),
  ).toBe(reason);
});
