import { createHash } from "node:crypto";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { z } from "zod";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { findTrackedRun } from "#trackers/open-tracked-run.ts";
import { runNameOf } from "#trackers/slug-of.ts";
import type { TrackerContext } from "#trackers/writer.ts";
import { fullPath, RunPath, runKeyOf } from "#wandb/run-key.ts";

/** Where a client sends a file, and what it must send with it. */
export interface Upload {
  /** `http://host`, under which the client knows us. */
  origin: string;
  /** Its own credentials: it asks each URL as if it were somebody else's. */
  authorization: string;
}

export const CreateRunFiles = RunPath.extend({ files: z.array(z.string().max(2000)).max(10_000) });

export function createRunFiles(upload: Upload, input: z.infer<typeof CreateRunFiles>) {
  return {
    createRunFiles: {
      runID: input.run,
      uploadHeaders: headersOf(upload),
      files: input.files.map((name) => ({ name, uploadUrl: urlOf(upload, input, ["file"], name) })),
    },
  };
}

const ArtifactRef = z.object({ path: RunPath, folder: z.string() });
const ArtifactId = z.string().max(4000);
export const CreateArtifact = z.object({
  input: z.object({
    entityName: RunPath.shape.entity,
    projectName: RunPath.shape.project,
    runName: RunPath.shape.run.nullish(),
    artifactCollectionName: z.string().max(500).nullish(),
    digest: z.string().max(500),
  }),
});
export const CreateArtifactManifest = z.object({
  artifactID: ArtifactId,
  name: z.string().max(500),
  includeUpload: z.boolean().nullish(),
});
export const CreateArtifactFiles = z.object({
  input: z.object({
    artifactFiles: z
      .array(z.object({ artifactID: ArtifactId, name: z.string().max(2000) }))
      .max(10_000),
  }),
});
export const CommitArtifact = z.object({ artifactID: ArtifactId });

/** An artifact's id says where its files lie: a version of a collection, below the run's folder. */
export function createArtifact({ input }: z.infer<typeof CreateArtifact>) {
  if (!input.runName)
    throw new AppError("BAD_REQUEST", { userMessage: "An artifact here belongs to a run." });
  const path = { entity: input.entityName, project: input.projectName, run: input.runName };
  const digest = createHash("sha256").update(input.digest).digest("hex").slice(0, 16);
  const folder = `${runNameOf(input.artifactCollectionName ?? "artifact")}/${digest}`;
  const id = Buffer.from(JSON.stringify({ path: fullPath(path), folder })).toString("base64url");
  const artifact = { id, state: "PENDING", artifactSequence: { latestArtifact: null } };
  return { createArtifact: { artifact } };
}

export function createArtifactManifest(
  upload: Upload,
  { artifactID: id, name, includeUpload }: z.infer<typeof CreateArtifactManifest>,
) {
  const place = { uploadUrl: artifactUrl(upload, id, name), uploadHeaders: headersOf(upload) };
  const file = { id: `${id}.manifest`, ...(includeUpload ? place : {}) };
  return { createArtifactManifest: { artifactManifest: { id: file.id, file } } };
}

export function createArtifactFiles(
  upload: Upload,
  { input }: z.infer<typeof CreateArtifactFiles>,
) {
  const edges = input.artifactFiles.map(({ artifactID: id, name }) => ({
    node: {
      storagePath: name,
      ...{ uploadUrl: artifactUrl(upload, id, name), uploadHeaders: headersOf(upload) },
      ...{ uploadMultipartUrls: null, artifact: { id } },
    },
  }));
  return { createArtifactFiles: { files: { edges } } };
}

export function commitArtifact({ artifactID: id }: z.infer<typeof CommitArtifact>) {
  return { commitArtifact: { artifact: { id, digest: parseArtifactId(id).folder } } };
}

/** The folder that holds the uploads of a kind of a run. */
export async function findUploadRoot(
  ctx: Pick<TrackerContext, "db" | "config" | "writer">,
  path: RunPath,
  kind: "file" | "artifact",
): Promise<string> {
  const tracked = await findTrackedRun(ctx, "wandb", runKeyOf(path));
  if (!tracked)
    throw new AppError("NOT_FOUND", { userMessage: `There is no run ${runKeyOf(path)}.` });
  const { directory } = runFiles(ctx.config.dataDir, tracked.runId);
  return join(directory, kind === "file" ? "files" : "artifacts");
}

const headersOf = ({ authorization }: Upload) => [`Authorization:${authorization}`];

function artifactUrl(upload: Upload, id: string, name: string): string {
  const { path, folder } = parseArtifactId(id);
  return urlOf(upload, path, ["artifact", ...folder.split("/")], name);
}

function urlOf(upload: Upload, path: RunPath, place: readonly string[], name: string): string {
  const { entity, project, run } = fullPath(path);
  const parts = [entity, project, run, ...place, ...name.split("/")];
  return `${upload.origin}/files/${parts.map(encodeURIComponent).join("/")}`;
}

function parseArtifactId(id: string): z.infer<typeof ArtifactRef> {
  try {
    return ArtifactRef.parse(JSON.parse(Buffer.from(id, "base64url").toString("utf8")));
  } catch (cause) {
    throw new AppError("NOT_FOUND", { userMessage: "There is no such artifact.", cause });
  }
}
