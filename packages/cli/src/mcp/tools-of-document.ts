import { z } from "zod";

type Schema = Record<string, unknown>;
const Parameter = z.looseObject({
  name: z.string(),
  in: z.string(),
  required: z.boolean().default(false),
  schema: z.record(z.string(), z.unknown()).optional(),
  content: z
    .object({ "application/json": z.object({ schema: z.record(z.string(), z.unknown()) }) })
    .optional(),
});
const Operation = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  parameters: z.array(Parameter).default([]),
  requestBody: z
    .object({
      content: z.looseObject({
        "application/json": z.object({ schema: z.record(z.string(), z.unknown()) }).optional(),
      }),
    })
    .optional(),
  responses: z.looseObject({
    "200": z.looseObject({ content: z.record(z.string(), z.unknown()) }),
  }),
  "x-liverl-scope": z.enum(["read", "operate", "admin", "ingest"]),
  "x-liverl-destructive": z.boolean().default(false),
});
/** What is used of control's openapi.json. */
export const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});
export type Document = z.infer<typeof Document>;

/** An operation of the API as a tool of the Model Context Protocol. */
export interface Tool {
  name: string;
  description: string;
  inputSchema: { type: "object" } & Schema;
  isRead: boolean;
  isDestructive: boolean;
  method: string;
  path: string;
  /** Names of the input's fields that stand in the path. */
  inPath: string[];
}

/** Tools for what answers in JSON: streams and downloads are for other programs. Who logs metrics is a trainer. */
export function toolsOf({ paths, components }: Document): Tool[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const scope = operation["x-liverl-scope"];
      const { content = { "application/json": {} } } = operation.requestBody ?? {};
      const isJson =
        "application/json" in operation.responses["200"].content && "application/json" in content;
      if (!isJson || scope === "ingest") return [];
      return [
        {
          name: toolName(operation.operationId),
          description: operation.summary,
          inputSchema: inputOf(operation, components.schemas),
          isRead: scope === "read",
          isDestructive: operation["x-liverl-destructive"],
          ...{ method: method.toUpperCase(), path },
          inPath: operation.parameters.flatMap(({ name, in: place }) =>
            place === "path" ? [name] : [],
          ),
        },
      ];
    }),
  );
}

/** `launch.suggestName` → `launch_suggest_name`: clients take letters, digits, `_` and `-`. */
const toolName = (operationId: string) =>
  operationId.replace(/[A-Z]/g, (big) => `_${big.toLowerCase()}`).replace(/[^a-z0-9]+/g, "_");

function inputOf(
  { parameters, requestBody }: z.infer<typeof Operation>,
  components: Record<string, Schema>,
): Tool["inputSchema"] {
  const body = requestBody?.content["application/json"]?.schema;
  const whole = body && typeof body.$ref === "string" ? components[nameOf(body.$ref)] : body;
  const fields = Object.fromEntries(
    parameters.map(({ name, schema, content }) => [
      name,
      schema ?? content?.["application/json"].schema ?? {},
    ]),
  );
  const needed = parameters.flatMap(({ name, required }) => (required ? [name] : []));
  const {
    properties = {},
    required = [],
    ...rest
  } = (whole ?? {}) as {
    properties?: Schema;
    required?: string[];
  };
  const schema = {
    ...rest,
    type: "object" as const,
    properties: { ...fields, ...properties },
    required: [...needed, ...required],
  };
  return withDefinitions(schema, components);
}

const COMPONENT = "#/components/schemas/";
const nameOf = (reference: string) => reference.slice(COMPONENT.length);

/** The schema with all that it refers to inside itself: a tool has no document around it. */
function withDefinitions(
  schema: { type: "object" } & Schema,
  components: Record<string, Schema>,
): Tool["inputSchema"] {
  const $defs: Record<string, Schema> = {};
  const add = (value: unknown): void => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(
      /"\$ref":"#\/components\/schemas\/([^"]+)"/g,
    )) {
      const part = components[name];
      if (name in $defs || part === undefined) continue;
      $defs[name] = part;
      add(part);
    }
  };
  add(schema);
  const text = JSON.stringify(Object.keys($defs).length > 0 ? { ...schema, $defs } : schema);
  return JSON.parse(text.replaceAll(`"$ref":"${COMPONENT}`, '"$ref":"#/$defs/'));
}
