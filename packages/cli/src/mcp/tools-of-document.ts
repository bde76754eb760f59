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
  "x-liverl-download": z.boolean().default(false),
});
type Operation = z.infer<typeof Operation>;
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
  /** What moves files: a field of the input names one of the machine that this runs on. */
  file: FileMove | null;
  /** It changes nothing, here or there. */
  isRead: boolean;
  isDestructive: boolean;
  method: string;
  path: string;
  /** Names of the input's fields that stand in the path. */
  inPath: string[];
}

export interface FileMove {
  way: "download" | "upload";
  field: "output" | "file";
}

const MOVES: Record<FileMove["way"], FileMove & { about: string }> = {
  download: {
    way: "download",
    field: "output",
    about: "Where to write it on this machine; no file may be there yet.",
  },
  upload: { way: "upload", field: "file", about: "The file to send, on this machine." },
};

/** Tools for what answers in JSON or moves a file: other streams are for other programs. Who logs metrics is a trainer. */
export function toolsOf({ paths, components }: Document): Tool[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const scope = operation["x-liverl-scope"];
      const move = moveOf(operation);
      const isJson = "application/json" in operation.responses["200"].content;
      if ((!isJson && move === null) || scope === "ingest") return [];
      return [
        {
          name: toolName(operation.operationId),
          description: operation.summary,
          inputSchema: inputOf(operation, move, components.schemas),
          file: move && { way: move.way, field: move.field },
          isRead: scope === "read" && move === null,
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

function moveOf(operation: Operation): (FileMove & { about: string }) | null {
  if (operation["x-liverl-download"]) return MOVES.download;
  const { content } = operation.requestBody ?? {};
  return content !== undefined && !("application/json" in content) ? MOVES.upload : null;
}

/** `launch.suggestName` → `launch_suggest_name`: clients take letters, digits, `_` and `-`. */
const toolName = (operationId: string) =>
  operationId.replace(/[A-Z]/g, (big) => `_${big.toLowerCase()}`).replace(/[^a-z0-9]+/g, "_");

function inputOf(
  { parameters, requestBody }: Operation,
  move: (FileMove & { about: string }) | null,
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
    properties: {
      ...fields,
      ...properties,
      ...(move && { [move.field]: { type: "string", minLength: 1, description: move.about } }),
    },
    required: [...needed, ...required, ...(move ? [move.field] : [])],
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
