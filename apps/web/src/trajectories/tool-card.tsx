import type { TurnView } from "@liverl/contract/turn-view";
import { DiffLines } from "#trajectories/diff-lines.tsx";
import { countPatch, parsePatch } from "#trajectories/parse-patch.ts";
import { toolIcon } from "#trajectories/prepare-outline.ts";
import type { TurnPart } from "#trajectories/prepare-parts.ts";
import { type Look, TokenRun } from "#trajectories/token-run.tsx";
import styles from "#trajectories/trajectories.module.css";
import { Icon } from "#ui/icon.tsx";

/** A call as it was sampled, token by token, and what it changed in the file. */
export function ToolCard({
  turn,
  part,
  look,
  hits,
}: {
  turn: TurnView;
  part: TurnPart;
  look: Look;
  hits: ReadonlySet<number>;
}) {
  const { call } = part;
  const patch = call?.diff ? parsePatch(call.diff.patch) : null;
  const counts = patch ? countPatch(patch) : null;
  return (
    <div className={styles.card}>
      <div className={styles.cardHead}>
        <Icon name={call ? toolIcon(call.name) : "bang"} size={13} />
        {call ? <b>{call.name}</b> : <b className="bad-t">Call that does not parse</b>}
        <span className="m trunc">{call?.diff ? call.diff.path : call ? call.summary : ""}</span>
        {counts && (
          <span className="end m">
            <span className="ok-t">+{counts.added}</span>{" "}
            <span className="bad-t">−{counts.removed}</span>
          </span>
        )}
      </div>
      {part.to > part.from ? (
        <div className={styles.sampled}>
          <TokenRun turn={turn} from={part.from} to={part.to} look={look} hits={hits} />
        </div>
      ) : (
        call && <div className={styles.sampled}>{call.argumentsText}</div>
      )}
      {patch && <DiffLines lines={patch} />}
    </div>
  );
}
