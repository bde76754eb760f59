import { z } from "zod";
import { parseInput } from "#trackers/read-body.ts";
import type { TrackerContext } from "#trackers/writer.ts";
import { RunResumeStatus, resumeStatus } from "#wandb/resume-status.ts";
import {
  CommitArtifact,
  CreateArtifact,
  CreateArtifactFiles,
  CreateArtifactManifest,
  CreateRunFiles,
  commitArtifact,
  createArtifact,
  createArtifactFiles,
  createArtifactManifest,
  createRunFiles,
  type Upload,
} from "#wandb/run-files.ts";
import { ENTITY } from "#wandb/run-key.ts";
import { UpsertBucket, upsertBucket } from "#wandb/upsert-bucket.ts";

export const GraphqlBody = z.object({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
});
/** Some requests name their operation in the query's first line only. */
const OPERATION = /\b(?:query|mutation)\s+(\w{1,100})/;

const VIEWER = {
  viewer: {
    ...{ id: ENTITY, entity: ENTITY, username: ENTITY, email: "", flags: "{}" },
    teams: { edges: [] },
  },
};

/** The data of an answer to a client's GraphQL request. It asks a fixed set of operations: what it does not need gets no data. */
export async function answerOperation(
  ctx: TrackerContext,
  upload: Upload,
  body: z.infer<typeof GraphqlBody>,
): Promise<object> {
  const name = body.operationName || OPERATION.exec(body.query.slice(0, 1000))?.[1];
  const read = <S extends z.ZodType>(schema: S) => parseInput(schema, body.variables ?? {});
  switch (name) {
    case "Viewer":
      return VIEWER;
    case "ServerFeaturesQuery":
      return { serverInfo: { features: [] } };
    case "RunResumeStatus":
      return resumeStatus(ctx, read(RunResumeStatus));
    case "UpsertBucket":
      return upsertBucket(ctx, read(UpsertBucket));
    case "CreateRunFiles":
      return createRunFiles(upload, read(CreateRunFiles));
    // Without the null the client fails in the trainer's own call.
    case "ArtifactType":
      return { project: null };
    case "CreateArtifact":
      return createArtifact(read(CreateArtifact));
    case "CreateArtifactManifest":
      return createArtifactManifest(upload, read(CreateArtifactManifest));
    case "CreateArtifactFiles":
      return createArtifactFiles(upload, read(CreateArtifactFiles));
    case "CommitArtifact":
      return commitArtifact(read(CommitArtifact));
    default:
      return {};
  }
}
