import { AppError } from "@liverl/contract/app-error";
import type { DeleteAnnotation } from "@liverl/contract/run";
import type { Context } from "#context.ts";

/** Takes an annotation back and tells everyone who watches. What happened to the run stays: no other event can be deleted. */
export async function deleteAnnotation(
  ctx: Pick<Context, "db" | "live">,
  { id, eventId }: DeleteAnnotation,
): Promise<Record<string, never>> {
  const { count } = await ctx.db.runEvent.deleteMany({
    where: { id: eventId, runId: id, kind: "annotation" },
  });
  if (count === 0)
    throw new AppError("NOT_FOUND", {
      userMessage: "There is no such annotation; it may be deleted.",
    });
  ctx.live.emit("eventGone", id, eventId);
  return {};
}
