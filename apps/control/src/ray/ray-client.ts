import { createHash } from "node:crypto";
import { AppError } from "@liverl/contract/app-error";
import { z } from "zod";
import { callRay, type RayPlace, type RayRequest } from "#ray/call-ray.ts";
import {
  Envelope,
  NodeSummary,
  RayActor,
  type RayNode,
  RayPlacementGroup,
  RayVersion,
  StateList,
} from "#ray/cluster-schemas.ts";
import { JobDetails } from "#ray/job-details.ts";

/** What Ray takes of a job (ray/dashboard/modules/job/common.py, JobSubmitRequest). */
export interface JobRequest {
  submission_id: string;
  /** A line for `sh -c`. */
  entrypoint: string;
  runtime_env: { working_dir?: string; env_vars: Record<string, string> };
  metadata: Record<string, string>;
  entrypoint_num_cpus?: number;
}

/** What a list of the state API holds, and how much of it came. */
export interface StatePage<T> {
  total: number;
  entries: T[];
  /** Ray's words where some nodes did not answer; null else. */
  warning: string | null;
}

const UPLOAD_TIMEOUT_MS = 120_000;
/** GCS keeps a package in memory; Ray's own clients refuse more (ray/_private/runtime_env/packaging.py). */
const MAX_PACKAGE_BYTES = 100 * 1024 * 1024;
/** What Ray gives at most. */
const STATE_LIMIT = 10_000;
const STATE_TIMEOUT_S = 10;

/** A cluster by its dashboard's REST API; `timeoutMs` of each request, where 15 s are too long. Every method throws the AppErrors of `callRay`. */
export type RayClient = ReturnType<typeof buildRayClient>;

export function buildRayClient(place: RayPlace, timeoutMs?: number) {
  const text = (path: string, request?: RayRequest) =>
    callRay(place, path, { timeoutMs, ...request });
  const json = async <S extends z.ZodType>(schema: S, path: string, request?: RayRequest) =>
    parseAnswer(place, schema, path, await text(path, request));
  const data = async <S extends z.ZodType>(schema: S, path: string): Promise<z.infer<S>> => {
    const { result, msg, data: inside } = await json(Envelope, path);
    if (!result)
      throw new AppError("UNAVAILABLE", { userMessage: `Ray at ${place.address}: ${msg}` });
    return parseShape(place, schema, path, inside);
  };
  const page = async <S extends z.ZodType>(schema: S, of: string) => {
    const path = `/api/v0/${of}?detail=true&limit=${STATE_LIMIT}&timeout=${STATE_TIMEOUT_S}`;
    const { result } = await data(StateList, path);
    const entries = parseShape(place, z.array(schema), path, result.result);
    const warning = result.partial_failure_warning || null;
    return { total: result.total, entries, warning } satisfies StatePage<z.infer<S>>;
  };
  const job = (id: string) => `/api/jobs/${encodeURIComponent(id)}`;

  return {
    place,
    version: (): Promise<RayVersion> => json(RayVersion, "/api/version"),
    /** `disabled`: whoever reaches the dashboard runs code on the cluster. Asked without a token. Null before Ray 2.52 or so, which had none. */
    authenticationMode: async (): Promise<string | null> => {
      const path = "/api/authentication_mode";
      try {
        const open = { ...place, tokenPath: null };
        const answer = parseAnswer(
          place,
          z.object({ authentication_mode: z.string() }),
          path,
          await callRay(open, path, { timeoutMs }),
        );
        return answer.authentication_mode;
      } catch (error) {
        if (error instanceof AppError && error.code === "NOT_FOUND") return null;
        throw error;
      }
    },
    /** CONFLICT where a job of this id was submitted before. */
    submitJob: async (request: JobRequest, signal?: AbortSignal): Promise<void> => {
      await text("/api/jobs/", { method: "POST", body: request, timeoutMs: 60_000, signal });
    },
    /** NOT_FOUND where the cluster knows none of this id. */
    getJob: (id: string): Promise<JobDetails> => json(JobDetails, job(id)),
    /** False: it had ended already. */
    stopJob: async (id: string): Promise<boolean> =>
      (await json(z.object({ stopped: z.boolean() }), `${job(id)}/stop`, { method: "POST" }))
        .stopped,
    /** All that it printed so far. May be large: `pullJobLog` reads only what is new to a file. */
    readJobLog: async (id: string): Promise<string> =>
      (await json(z.object({ logs: z.string() }), `${job(id)}/logs`)).logs,
    /** Makes sure that the cluster holds the zip, under a name by its content; answers with its URI for `working_dir`. */
    ensurePackage: async (zip: Uint8Array, signal?: AbortSignal): Promise<string> => {
      if (zip.length > MAX_PACKAGE_BYTES)
        throw new AppError("TOO_LARGE", {
          userMessage: `What the job needs is ${Math.ceil(zip.length / 1024 / 1024)} MiB as a zip; Ray takes ${MAX_PACKAGE_BYTES / 1024 / 1024} MiB.`,
        });
      const name = `_ray_pkg_${createHash("sha256").update(zip).digest("hex").slice(0, 32)}.zip`;
      const path = `/api/packages/gcs/${name}`;
      const isThere = await text(path, { signal }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof AppError && error.code === "NOT_FOUND") return false;
          throw error;
        },
      );
      if (!isThere)
        await text(path, { method: "PUT", body: zip, timeoutMs: UPLOAD_TIMEOUT_MS, signal });
      return `gcs://${name}`;
    },
    nodes: async (): Promise<RayNode[]> => (await data(NodeSummary, "/nodes?view=summary")).summary,
    actors: () => page(RayActor, "actors"),
    placementGroups: () => page(RayPlacementGroup, "placement_groups"),
  };
}

function parseAnswer<S extends z.ZodType>(
  place: RayPlace,
  schema: S,
  path: string,
  answer: string,
): z.infer<S> {
  let value: unknown;
  try {
    value = JSON.parse(answer);
  } catch (cause) {
    throw notRay(place, path, cause);
  }
  return parseShape(place, schema, path, value);
}

function parseShape<S extends z.ZodType>(
  place: RayPlace,
  schema: S,
  path: string,
  value: unknown,
): z.infer<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw notRay(place, path, parsed.error);
}

function notRay({ address }: RayPlace, path: string, cause: unknown): AppError {
  return new AppError("BAD_REQUEST", {
    userMessage: `What answers at ${address} does not speak Ray's dashboard API (${path}). Is this the dashboard's address, by default port 8265?`,
    cause,
  });
}
