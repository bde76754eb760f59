import { createReadStream } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { AppError } from "@liverl/contract/app-error";
import { bearerMatches } from "@liverl/durable/http-token";
import type { RunnerContext } from "#context.ts";
import { packFolder } from "#sandboxes/pack-folder.ts";
import { unpackArchive } from "#sandboxes/unpack-archive.ts";
import { send } from "#server/http-answer.ts";
import { findLease } from "#server/lease-routes.ts";
import { TRAJECTORY_FILE } from "#trials/trial-directory.ts";

type Exchange = [url: URL, request: IncomingMessage, response: ServerResponse];
const MODEL_CALL = /^\/api\/v1\/leases\/([^/]+)(\/v1\/.*)$/;
const FILES = /^\/api\/v1\/leases\/([^/]+)\/(task|trajectory|files)$/;

/** An agent's call to its session, under the lease's own key. False: it is none. */
export function passModelCall(
  ctx: Pick<RunnerContext, "leases">,
  ...[url, request, response]: Exchange
): boolean {
  const match = MODEL_CALL.exec(url.pathname);
  if (!match) return false;
  const [, id = "", path = ""] = match;
  const { key, gateway } = findLease(ctx, id);
  if (!bearerMatches(request.headers.authorization, key))
    throw new AppError("UNAUTHENTICATED", { userMessage: `${id} has another key.` });
  gateway.pass(request, response, `${path}${url.search}`);
  return true;
}

/**
 * The task's folder to a joined runner, and a trial's from it, each as a tar; and what the proxy wrote of its session.
 * False: it is none of them.
 */
export async function moveFiles(
  ctx: Pick<RunnerContext, "leases">,
  ...[url, request, response]: Exchange
): Promise<boolean> {
  const [, id = "", what] = FILES.exec(url.pathname) ?? [];
  if (what === "task" && request.method === "GET") {
    const { attempt } = findLease(ctx, id);
    response.writeHead(200, { "content-type": "application/x-tar" });
    await pipeline(packFolder(attempt.folder, "task"), response);
    return true;
  }
  if (what === "trajectory" && request.method === "GET") {
    const file = createReadStream(join(findLease(ctx, id).attempt.root, TRAJECTORY_FILE));
    response.writeHead(200, { "content-type": "application/json" });
    await pipeline(file, response);
    return true;
  }
  if (what === "files" && request.method === "PUT") {
    const { leftOut } = await unpackArchive(request, findLease(ctx, id).attempt.root);
    send(response, { status: 200, content: { leftOut } });
    return true;
  }
  return false;
}
