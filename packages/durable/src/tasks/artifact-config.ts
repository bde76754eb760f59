import { trimEnd } from "@liverl/contract/trim-end";
import { z } from "zod";
import { text, texts } from "#tasks/lax-values.ts";

/** The compose service that the agent works in. */
export const MAIN_SERVICE = "main";
/** The folder in the sandbox that is always collected. */
export const ARTIFACTS_FOLDER = "/logs/artifacts";

/** The name of a compose service. */
export const ServiceName = text.trim().regex(/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/, {
  error:
    "must be the name of a compose service: letters, digits, hyphens, underscores and dots, the first a letter or digit",
});

const partsOf = (path: string) => path.split("/").filter((part) => part !== "" && part !== ".");
const climbs = (path: string) => partsOf(path).includes("..");
const isAbsolute = (path: string) => path.startsWith("/") || /^[A-Za-z]:[/\\]/.test(path);

/** What is wrong with a place below the trial's `artifacts/`; null when nothing is. */
function faultOfDestination(path: string): string | null {
  if (path.includes("\\")) return "must have forward slashes";
  if (path.startsWith("/")) return "must be relative";
  if (partsOf(path).length === 0) return "must name a file or a folder";
  if (climbs(path)) return 'must not contain ".."';
  return trimEnd(path, "/") === "manifest.json" ? "is taken by the list of artifacts" : null;
}

/**
 * What is carried out of the sandbox after the agent: `source` is a path in it, `destination` one below `artifacts/`.
 * A text alone is a source.
 */
export const ArtifactConfig = z.preprocess(
  (value) => (typeof value === "string" ? { source: value } : value),
  z
    .object(
      {
        source: text.refine((path) => !climbs(path), { error: 'must not contain ".."' }),
        destination: text
          .superRefine((path, ctx) => {
            const fault = path === "" ? null : faultOfDestination(path);
            if (fault) ctx.addIssue({ code: "custom", message: fault });
          })
          .transform((path) => path || null)
          .nullable()
          .default(null),
        exclude: texts.default([]),
        service: ServiceName.nullable().default(null),
      },
      { error: "must be a path in quotes, or a table with source" },
    )
    .superRefine(({ source, service }, ctx) => {
      if (service === null || service === MAIN_SERVICE || isAbsolute(source)) return;
      ctx.addIssue({
        code: "custom",
        path: ["source"],
        message: `must be an absolute path, as it comes from service ${service}`,
      });
    }),
);
export type ArtifactConfig = z.infer<typeof ArtifactConfig>;
