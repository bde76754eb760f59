import type { ReplayRow } from "@liverl/contract/replay";
import { describeReplay } from "#replays/describe-replay.ts";
import { nameWeights } from "#replays/prepare-replay.ts";
import styles from "#replays/replays.module.css";
import { replayHref } from "#shell/links.ts";
import { Ago } from "#ui/ago.tsx";
import { formatNumber } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";
import { StatusWord } from "#ui/status-word.tsx";

/** Replays of one rollout, newest first. */
export function ReplayList({
  replays,
  project,
  current,
}: {
  replays: readonly ReplayRow[];
  project: string;
  /** The one that is open; null for none. */
  current: string | null;
}) {
  return (
    <ul className={styles.list}>
      {replays.map((replay) => {
        const { dot, words } = describeReplay(replay);
        return (
          <li key={replay.id}>
            <Link
              href={replayHref(project, replay.runId, replay.id)}
              prefetch={false}
              aria-current={replay.id === current ? "page" : undefined}
            >
              <span className="num">turn {replay.turn}</span>
              <span className="trunc">
                {replay.n} × {nameWeights(replay.weights)}
                <span className="i3">
                  {" "}
                  · temperature {formatNumber(replay.sampling.temperature)}
                </span>
              </span>
              <StatusWord kind={dot}>{words}</StatusWord>
              <span className="i3">
                <Ago at={replay.createdAt} />
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
