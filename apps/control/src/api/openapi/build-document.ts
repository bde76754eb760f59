import { ErrorBody } from "@liverl/contract/app-error";
import { z } from "zod";
import { listOperations, type Operation } from "#api/list-operations.ts";
import { Components, type Schema } from "#api/openapi/components.ts";
import { ERROR_RESPONSES, errorsOf } from "#api/openapi/error-responses.ts";
import { OTHER_ROUTES, type OtherRoute } from "#api/openapi/other-routes.ts";
import type { Scope } from "#auth/scope.ts";

type Entry = Record<string, unknown>;

const INTRODUCTION = `Everything that the pages of LiveRL show and do, for programs.

Reads are GET, with their input as a query: text as it is, a list by repeating its name, all else as JSON. Acts are POST with
one JSON object. Streams are server-sent events; \`lastEventId\` goes on where one broke off. \`x-liverl-scope\` is what a
token needs, \`x-liverl-destructive\` marks what can not be undone,
\`x-liverl-download\` what answers with a file. Times are ISO 8601 in UTC, and units end a name.`;

/** The OpenAPI 3.1 document of the HTTP API, from the router's own schemas. Pure. */
export function buildDocument(): Entry {
  const components = new Components();
  components.refer(ErrorBody, "output");
  const paths: Record<string, Entry> = {};
  for (const operation of listOperations())
    paths[operation.path] = { [operation.method.toLowerCase()]: entryOf(operation, components) };
  for (const route of OTHER_ROUTES)
    paths[route.path] = { ...paths[route.path], ...otherEntry(route, components) };
  return {
    openapi: "3.1.0",
    info: { title: "LiveRL", version: "1", description: INTRODUCTION },
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    security: [{ token: [] }],
    paths,
    components: {
      schemas: components.schemas,
      responses: ERROR_RESPONSES,
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description:
            "The operator's token (operator.token in the data directory), or one that `liverl token create` made.",
        },
      },
    },
  };
}

function entryOf(operation: Operation, components: Components): Entry {
  const { name, kind, input, note } = operation;
  const isAct = kind === "mutation";
  const answer = components.refer(note?.answer ?? z.unknown(), "output");
  const type = kind === "subscription" ? "text/event-stream" : "application/json";
  return {
    operationId: name,
    tags: [name.split(".")[0]],
    summary: note?.about ?? name,
    ...marks(operation.scope, note?.isDestructive === true),
    ...(kind === "subscription" && { "x-liverl-stream": true }),
    ...(input && takes(operation, input, components)),
    responses: {
      "200": {
        description:
          kind === "subscription" ? "Frames, each the `data` of one event." : "What was asked for.",
        content: { [type]: { schema: answer } },
      },
      ...errorsOf({ isAct, hasInput: input !== null }),
    },
  };
}

const marks = (scope: Scope, isDestructive: boolean): Entry => ({
  "x-liverl-scope": scope,
  ...(isDestructive && { "x-liverl-destructive": true }),
});

/** A GET has its input's fields as parameters, a POST has it as its body. */
function takes({ method }: Operation, input: z.ZodObject, components: Components): Entry {
  const schema = components.refer(input, "input");
  if (method === "POST") return bodyOf(schema);
  // A named input is a reference: its fields are needed here.
  const whole = (schema.$ref ? components.schemas[nameOf(schema.$ref)] : schema) as Schema;
  const required = new Set(whole.required ?? []);
  return {
    parameters: Object.entries(whole.properties ?? {}).map(([name, field]) => ({
      ...{ name, in: "query", required: required.has(name) },
      ...placeOf(field as Schema),
    })),
  };
}

const nameOf = (reference: string) => reference.slice(reference.lastIndexOf("/") + 1);

/** A list repeats its name; what is neither text nor a list is JSON. */
function placeOf(schema: Schema): Entry {
  if (schema.type === "array") return { schema, style: "form", explode: true };
  const isPlain = schema.type !== undefined && schema.type !== "object";
  return isPlain || schema.enum || schema.$ref || schema.anyOf
    ? { schema }
    : { content: { "application/json": { schema } } };
}

const bodyOf = (schema: Schema): Entry => ({
  requestBody: { required: true, content: { "application/json": { schema } } },
});

function otherEntry(route: OtherRoute, components: Components): Entry {
  const { name, method, about, scope, parameters = [], body, bodyType, answer } = route;
  const content =
    answer instanceof z.ZodType
      ? { "application/json": { schema: components.refer(answer, "output") } }
      : Object.fromEntries(answer.map((type) => [type, {}]));
  return {
    [method.toLowerCase()]: {
      operationId: name,
      tags: [name.split(".")[0]],
      summary: about,
      ...marks(scope, false),
      ...(!(answer instanceof z.ZodType) && { "x-liverl-download": true }),
      ...(parameters.length > 0 && {
        parameters: parameters.map(({ schema: one, ...rest }) => ({
          ...rest,
          schema: components.refer(one, "input"),
        })),
      }),
      ...(body && bodyOf(components.refer(body, "input"))),
      ...(bodyType && { requestBody: { required: true, content: { [bodyType]: {} } } }),
      responses: {
        "200": { description: "What was asked for.", content },
        ...errorsOf({
          isAct: method === "POST",
          hasInput: parameters.length > 0 || !!body || !!bodyType,
        }),
      },
    },
  };
}
