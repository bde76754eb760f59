import { ImportedRun } from "@liverl/contract/import-run";
import { ExportMetrics, LogMetrics, LogMetricsAnswer } from "@liverl/contract/metric";
import {
  CreateOutsideSession,
  EndedSession,
  EndOutsideSession,
  OpenedSession,
} from "@liverl/contract/proxy-admin";
import { OutsideSessionView, SessionRow } from "@liverl/contract/session-view";
import { z } from "zod";
import type { Scope } from "#auth/scope.ts";

/** A route that is no procedure of the router: outside agents, trainers and downloads came before it. */
export interface OtherRoute {
  name: string;
  method: "GET" | "POST";
  path: string;
  about: string;
  scope: Scope;
  parameters?: { name: string; in: "path" | "query"; required: boolean; schema: z.ZodType }[];
  body?: z.ZodType;
  /** Of a body that is no JSON. */
  bodyType?: string;
  /** A list: the media types of a download. */
  answer: z.ZodType | readonly string[];
}

const text = z.string();
const id = { name: "id", in: "path", required: true, schema: text } as const;

export const OTHER_ROUTES: readonly OtherRoute[] = [
  {
    ...{ name: "sessions.list", method: "GET", path: "/api/v1/sessions", scope: "read" },
    about: "Sessions of outside agents, newest first; of all projects where none is named.",
    parameters: [{ name: "project", in: "query", required: false, schema: text }],
    answer: z.object({ sessions: z.array(SessionRow) }),
  },
  {
    ...{ name: "sessions.open", method: "POST", path: "/api/v1/sessions", scope: "operate" },
    about: "Opens a session for an outside agent: where it sends its calls, and its key.",
    body: CreateOutsideSession,
    answer: OpenedSession,
  },
  {
    ...{ name: "sessions.get", method: "GET", path: "/api/v1/sessions/{id}", scope: "read" },
    about: "One session of an outside agent, with how it ended once it has.",
    parameters: [id],
    answer: OutsideSessionView,
  },
  {
    ...{ name: "sessions.complete", method: "POST", path: "/api/v1/sessions/{id}/complete" },
    scope: "operate",
    about: "Freezes a session and answers with the path of its trajectory. The first one counts.",
    parameters: [id],
    body: EndOutsideSession,
    answer: EndedSession,
  },
  {
    ...{ name: "metrics.log", method: "POST", path: "/api/v1/metrics", scope: "ingest" },
    about: "Logs points of any program; answers once they are on disk. 16 MiB at most.",
    body: LogMetrics,
    answer: LogMetricsAnswer,
  },
  {
    ...{ name: "metrics.export", method: "POST", path: "/api/v1/runs/{id}/metrics/export" },
    scope: "read",
    about: "Every point of the asked metrics, or of all, as CSV, JSON or Parquet.",
    parameters: [id],
    body: ExportMetrics,
    answer: ["text/csv", "application/json", "application/vnd.apache.parquet"],
  },
  {
    ...{ name: "rollouts.export", method: "GET", scope: "read" },
    path: "/api/v1/runs/{id}/rollouts.{format}",
    about: "Rollouts that the filter `f` lets through, or those of `ids`, as one download.",
    parameters: [
      id,
      {
        ...{ name: "format", in: "path", required: true },
        schema: z.enum(["jsonl", "parquet", "atif.jsonl"]),
      },
      { name: "f", in: "query", required: false, schema: text },
      { name: "sort", in: "query", required: false, schema: text },
      { name: "ids", in: "query", required: false, schema: text },
    ],
    answer: ["application/x-ndjson", "application/vnd.apache.parquet"],
  },
  {
    ...{ name: "checkpoint.download", method: "GET", scope: "read" },
    path: "/api/v1/runs/{id}/checkpoints/{step}.tar",
    about: "A checkpoint as one tar, with the digests of its files.",
    parameters: [
      { name: "id", in: "path", required: true, schema: text },
      { name: "step", in: "path", required: true, schema: z.number().int().nonnegative() },
    ],
    answer: ["application/x-tar"],
  },
  {
    ...{ name: "run.archive", method: "GET", scope: "read" },
    path: "/api/v1/runs/{id}/archive.tar.gz",
    about:
      "A run that has ended as one file: its rows, metrics, trials, logs, and on request checkpoints.",
    parameters: [
      { name: "id", in: "path", required: true, schema: text },
      {
        ...{ name: "checkpoints", in: "query", required: false },
        schema: z.enum(["true", "false"]),
      },
    ],
    answer: ["application/gzip"],
  },
  {
    ...{ name: "run.import", method: "POST", path: "/api/v1/runs/import", scope: "operate" },
    about: "Puts an archived run in as it was, ids and all. The body is the archive itself.",
    bodyType: "application/gzip",
    answer: ImportedRun,
  },
  {
    ...{ name: "login-links.create", method: "POST", path: "/api/v1/login-links", scope: "admin" },
    about: "A link that signs one browser in, once, within ten minutes.",
    answer: z.object({ url: z.url() }),
  },
];
