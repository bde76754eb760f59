import { EmbeddedSpec, type PreflightItem } from "@liverl/contract/launch";
import { KubeRaySpec, LocalVerlSpec, RayJobSpec } from "@liverl/contract/verl-launch";
import { expect, test } from "vitest";
import { blocksLaunch } from "#launch/blocks-launch.ts";
import { fieldsOf, sectionsOf } from "#launch/fields/launch-sections.ts";
import { fieldText, parseField } from "#launch/parse-field.ts";
import { prepareChanges } from "#launch/prepare-changes.ts";
import { prepareFieldFaults, preparePreflight } from "#launch/prepare-preflight.ts";
import { prepareProvenance } from "#launch/prepare-provenance.ts";
import { prepareSection } from "#launch/prepare-section.ts";

/** Fields of an object, also of one that may be left out; null of any other value. */
function shapeOf(schema: unknown): Record<string, unknown> | null {
  const given = schema as { shape?: Record<string, unknown>; unwrap?: () => unknown };
  const inner = given.shape ? given : (given.unwrap?.() as typeof given | undefined);
  return inner?.shape ?? null;
}

function shapePaths(shape: Record<string, unknown>, prefix = ""): string[] {
  return Object.entries(shape).flatMap(([key, schema]) => {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    const inner = shapeOf(schema);
    return inner === null ? [path] : shapePaths(inner, path);
  });
}

test.each([
  ["embedded", EmbeddedSpec],
  ["local-verl", LocalVerlSpec],
  ["ray-job", RayJobSpec],
  ["kuberay", KubeRaySpec],
])("the form of %s has a field for every value of its spec and no other", (driver, schema) => {
  expect(
    fieldsOf(driver)
      .map((field) => field.path)
      .sort(),
  ).toEqual(shapePaths(schema.shape).sort());
});

test.each([
  ["embedded", EmbeddedSpec],
  ["local-verl", LocalVerlSpec],
  ["ray-job", RayJobSpec],
  ["kuberay", KubeRaySpec],
])("%s: a select has the words of its schema", (driver, schema) => {
  const shape: Record<string, unknown> = schema.shape;
  for (const field of fieldsOf(driver).filter(({ kind }) => kind === "select")) {
    const [section = "", key = ""] = field.path.split(".");
    const value = shapeOf(shape[section])?.[key] as {
      options?: string[];
      unwrap?: () => { options: string[] };
      def: { type: string };
      safeParse: (text: unknown) => { success: boolean };
    };
    if ("other" in field && field.other !== undefined) {
      // Its words are a choice among many more.
      const refused = field.options?.filter((word) => !value.safeParse(word).success);
      expect(refused, field.path).toEqual([]);
      expect(value.safeParse("none of them").success).toBe(false);
      continue;
    }
    expect(field.options, field.path).toEqual(value.options ?? value.unwrap?.().options);
    expect(field.nullable ?? false, field.path).toBe(value.def.type === "nullable");
  }
});

test("what has no effect on the draft stands under More, open where something is to be seen", () => {
  const section = sectionsOf("local-verl").find(({ id }) => id === "engine");
  if (!section) throw new Error("no section engine");
  const prepared = (name: string, marked = "") =>
    prepareSection(section, {
      read: (path) => (path === "engine.name" ? name : null),
      isMarked: ({ path }) => path === marked,
    });
  const shown = (name: string) => prepared(name).shown.map(({ path }) => path);
  expect(shown("fsdp2")).toContain("engine.sp_size");
  expect(shown("fsdp2")).not.toContain("engine.pipeline_parallel");
  expect(shown("megatron")).toContain("engine.pipeline_parallel");
  expect(shown("megatron")).not.toContain("engine.sp_size");
  expect(prepared("fsdp2").isMoreOpen).toBe(false);
  expect(prepared("fsdp2", "engine.pipeline_parallel").isMoreOpen).toBe(true);
});

test("a section of another mode is not shown, unless something in it was changed", () => {
  const section = sectionsOf("embedded").find(({ id }) => id === "async");
  if (!section) throw new Error("no section async");
  const prepared = (mode: string, marked = "") =>
    prepareSection(section, {
      read: (path) => (path === "algorithm.trainer_mode" ? mode : null),
      isMarked: ({ path }) => path === marked,
    });
  expect(prepared("sync")).toEqual({ shown: [], more: [], isMoreOpen: false });
  expect(prepared("fully_async").shown).toHaveLength(4);
  expect(prepared("sync", "async.partial_rollout").more).toHaveLength(4);
  expect(prepared("sync", "async.partial_rollout").isMoreOpen).toBe(true);
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

test("lists and maps are typed a line each, and what is no line stays as typed", () => {
  const list = { path: "data.train_files", label: "", kind: "lines", hint: "" } as const;
  expect(parseField(list, "/a b.parquet\n\n /c \n")).toEqual(["/a b.parquet", "/c"]);
  const map = { path: "overrides", label: "", kind: "pairs", hint: "" } as const;
  expect(
    parseField(map, 'a.b=0.82\n+c=True\nd=["console", "file"]\ne=\nf="7"\ng=null\nh=a: b'),
  ).toEqual({ "a.b": 0.82, "+c": true, d: ["console", "file"], e: "", f: "7", g: null, h: "a: b" });
  expect(parseField(map, "no sign")).toBe("no sign");
  expect(parseField(map, "a=1\na=2")).toBe("a=1\na=2");
  const env = { path: "env", label: "", kind: "pairs", hint: "" } as const;
  expect(parseField(env, "NCCL_DEBUG=INFO\nN=1\nQ=a=b")).toEqual({
    NCCL_DEBUG: "INFO",
    N: "1",
    Q: "a=b",
  });
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
  const base = { driver: "local-verl", optim: { lr: 1, grad_clip: 2, ppo_epochs: 1 } };
  const sources = prepareProvenance({
    spec: { driver: "local-verl", optim: { lr: 3, grad_clip: 2, ppo_epochs: 1 }, extra: 1 },
    base,
    kind: "parent",
    defaults: { optim: { grad_clip: 1, ppo_epochs: 1 } },
    fields: fieldsOf("local-verl"),
  });
  expect(sources.get("optim.lr")).toEqual({ source: "override", was: 1 });
  expect(sources.get("optim.grad_clip")?.source).toBe("parent");
  expect(sources.get("optim.ppo_epochs")?.source).toBe("default");
  expect(sources.get("extra")?.source).toBe("override");
  expect(sources.get("batch.n")?.source).toBe("missing");
});

test("after a change of driver its target stands at the driver's own defaults", () => {
  const spec = {
    driver: "ray-job",
    target: { python: "python3", address: "http://10.0.0.2:8265" },
  };
  const sources = prepareProvenance({
    spec,
    base: { driver: "local-verl", target: undefined },
    kind: "preset",
    defaults: {
      driver: "ray-job",
      target: { python: "python3", address: "http://127.0.0.1:8265" },
    },
    fields: fieldsOf("ray-job"),
  });
  expect(sources.get("target.python")?.source).toBe("default");
  expect(sources.get("target.address")?.source).toBe("override");
  expect(sources.get("driver")?.source).toBe("override");
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
  [{ yamlFault: true }, "Invalid YAML"],
  [{ faults: 2 }, "2 invalid values"],
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
