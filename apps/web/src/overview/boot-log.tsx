"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
import { formatClock } from "#ui/format-time.ts";
import { SkeletonRows } from "#ui/skeleton.tsx";

const LINES = 14;
const EVERY_MS = 1_500;

/** The last lines of the trainer's log, or of the first source there is while the trainer has none. */
export function BootLog({ runId }: { runId: string }) {
  const trpc = useTRPC();
  const sources = useQuery(
    trpc.log.sources.queryOptions({ runId }, { refetchInterval: EVERY_MS * 2 }),
  );
  const list = sources.data?.sources ?? [];
  const source =
    (
      list.find(({ id, sizeBytes }) => id === "trainer" && sizeBytes > 0) ??
      list.find(({ isShared, sizeBytes }) => !isShared && sizeBytes > 0)
    )?.id ?? null;
  const page = useQuery(
    trpc.log.read.queryOptions(
      { runId, source: source ?? "", limit: LINES },
      { enabled: source !== null, refetchInterval: EVERY_MS },
    ),
  );
  if (sources.isError)
    return <div className="term term-foot">{describeError(sources.error).message}</div>;
  if (sources.isPending || (source !== null && page.isPending))
    return <SkeletonRows rows={6} height={22} />;
  if (source === null || page.data === undefined)
    return <div className="term term-foot">No line yet.</div>;
  return (
    <div className="term term-foot">
      {page.data.lines.map((line) => (
        <div key={line.offset}>
          <span className="d">{formatClock(line.at)}</span>{" "}
          <span
            className={
              line.level === "error" || line.level === "fatal"
                ? "rd"
                : line.level === "warn"
                  ? "y"
                  : ""
            }
          >
            {line.text}
          </span>
        </div>
      ))}
    </div>
  );
}
