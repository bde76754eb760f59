import * as apiToken from "@liverl/contract/api-token";
import * as appError from "@liverl/contract/app-error";
import * as cluster from "@liverl/contract/cluster";
import * as distribution from "@liverl/contract/distribution";
import * as launch from "@liverl/contract/launch";
import * as metric from "@liverl/contract/metric";
import * as metricsView from "@liverl/contract/metrics-view";
import * as override from "@liverl/contract/override-value";
import * as rollout from "@liverl/contract/rollout";
import * as run from "@liverl/contract/run";
import * as sandbox from "@liverl/contract/sandbox";
import * as session from "@liverl/contract/session-view";
import * as trajectory from "@liverl/contract/trajectory";
import * as verifier from "@liverl/contract/verifier-view";
import * as verl from "@liverl/contract/verl-launch";
import * as views from "@liverl/contract/views";
import { z } from "zod";

export type Schema = z.core.JSONSchema.JSONSchema;

/** What has a name in the contract has it in the document, too. */
const NAMED = z.registry<{ id: string }>();
for (const room of [
  ...[apiToken, appError, cluster, distribution, launch, metric, metricsView, override, rollout],
  ...[run, sandbox, session, trajectory, verifier, verl, views],
])
  for (const [id, schema] of Object.entries(room))
    if (schema instanceof z.ZodType && !NAMED.has(schema)) NAMED.add(schema, { id });

/** Collects the schemas of a document, each by its name, once. */
export class Components {
  readonly schemas: Record<string, Schema> = {};

  /** A schema as it stands in the document. Inputs and answers differ by their defaults: names of inputs end with `Input`. */
  refer(schema: z.ZodType, io: "input" | "output"): Schema {
    const suffix = io === "input" ? "Input" : "";
    const made = z.toJSONSchema(schema, {
      metadata: NAMED,
      io,
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema }) => rewrite(zodSchema, jsonSchema, io),
    });
    const { $defs = {}, $schema: _, ...rest } = moved(made, suffix) as Schema;
    for (const [id, part] of Object.entries($defs))
      this.schemas[`${id}${suffix}`] ??= part as Schema;
    return rest;
  }
}

function rewrite(zodSchema: z.core.$ZodType, schema: Schema, io: "input" | "output"): void {
  const { def } = zodSchema._zod;
  // An answer may have more in a later version: only inputs that say so are closed.
  if (io === "output" && def.type === "object" && !("catchall" in def && def.catchall))
    delete schema.additionalProperties;
  if (zodSchema === override.OverrideValue) {
    for (const key of Object.keys(schema)) delete schema[key];
    Object.assign(schema, OVERRIDE_VALUE);
  }
}

/** The contract writes it out to its depth; as a schema it refers to itself. */
const OVERRIDE_VALUE: Schema = {
  anyOf: [
    { type: ["string", "number", "boolean", "null"] as unknown as "string" },
    { type: "array", items: { $ref: "#/$defs/OverrideValue" } },
    { type: "object", additionalProperties: { $ref: "#/$defs/OverrideValue" } },
  ],
};

const LOCAL = "#/$defs/";

/** The same value with references into the schema itself turned to those of the document. */
function moved(value: unknown, suffix: string): unknown {
  if (Array.isArray(value)) return value.map((one) => moved(one, suffix));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) =>
      key === "$ref" && typeof one === "string" && one.startsWith(LOCAL)
        ? [key, `#/components/schemas/${one.slice(LOCAL.length)}${suffix}`]
        : [key, moved(one, suffix)],
    ),
  );
}
