import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { listOperations } from "#api/list-operations.ts";
import { buildDocument } from "#api/openapi/build-document.ts";

const document = JSON.parse(JSON.stringify(buildDocument()));

test("the document is OpenAPI 3.1", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

test("the validator sees a fault", async () => {
  const bad = structuredClone(document);
  bad.paths["/api/v1/run/get"].get.parameters[0].in = "nowhere";
  expect((await new Validator().validate(bad)).valid).toBe(false);
});

test("every reference leads somewhere", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((m) => m[1]);
  expect(references.length).toBeGreaterThan(100);
  for (const reference of new Set(references)) {
    const [root, ...way] = String(reference).split("/");
    expect(root).toBe("#");
    expect(
      way.reduce((at, key) => at?.[key], document),
      reference,
    ).toBeDefined();
  }
});

test("every procedure of the pages is a route, and something is said of each", () => {
  const operations = listOperations();
  expect(operations.length).toBeGreaterThan(30);
  for (const { name, path, method, note } of operations) {
    expect(note?.about, `say in api/notes what ${name} is`).toMatch(/^[A-Z].*\.$/);
    expect(document.paths[path][method.toLowerCase()].operationId).toBe(name);
  }
});

test("a read has parameters, an act has a body, a posted read is no act", () => {
  const { paths } = document;
  expect(paths["/api/v1/run/list"].get.parameters).toEqual([
    { name: "project", in: "query", required: false, schema: { type: "string" } },
    {
      ...{ name: "status", in: "query", required: false, style: "form", explode: true },
      schema: { type: "array", items: { $ref: "#/components/schemas/RunStatusInput" } },
    },
    { name: "look", in: "query", required: false, schema: { type: "boolean" } },
    { name: "f", in: "query", required: false, schema: { type: "string", maxLength: 4000 } },
    {
      ...{ name: "sort", in: "query", required: false },
      schema: { type: "string", pattern: "^-?[a-z]+$" },
    },
    {
      ...{ name: "limit", in: "query", required: false },
      schema: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
    },
    { name: "cursor", in: "query", required: false, schema: { type: "string", maxLength: 2000 } },
  ]);
  const stop = paths["/api/v1/run/stop"].post;
  expect(stop.requestBody.content["application/json"].schema).toEqual({
    $ref: "#/components/schemas/StopRunInput",
  });
  expect(stop).toMatchObject({ "x-liverl-scope": "operate", "x-liverl-destructive": true });
  expect(paths["/api/v1/launch/plan"].post["x-liverl-scope"]).toBe("operate");
  expect(paths["/api/v1/token/create"].post["x-liverl-scope"]).toBe("admin");
  expect(paths["/api/v1/log/tail"].get.responses["200"].content).toHaveProperty([
    "text/event-stream",
  ]);
});

test("a download names what it may be, and every answer of a read is told", () => {
  const { paths } = document;
  const contentOf = (path: string, method: string) =>
    Object.keys(paths[path][method].responses["200"].content);
  expect(contentOf("/api/v1/runs/{id}/metrics/export", "post")).toEqual([
    ...["text/csv", "application/json", "application/vnd.apache.parquet"],
  ]);
  expect(contentOf("/api/v1/runs/{id}/rollouts.{format}", "get")).toEqual([
    ...["application/x-ndjson", "application/vnd.apache.parquet"],
  ]);
  for (const verb of ["spec-of", "spec-of-fork"])
    expect(Object.keys(paths[`/api/v1/launch/${verb}`].get.responses)).toEqual(
      expect.arrayContaining(["404", "409", "431"]),
    );
});

test("a value of any depth refers to itself", () => {
  const { OverrideValue } = document.components.schemas;
  expect(JSON.stringify(OverrideValue).length).toBeLessThan(300);
  expect(OverrideValue.anyOf[1].items.$ref).toBe("#/components/schemas/OverrideValue");
});
