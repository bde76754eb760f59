import type { TurnOutline, TurnView } from "@liverl/contract/turn-view";
import { splitByMatch } from "#trajectories/find-text.ts";
import { type GivenPart, prepareGiven } from "#trajectories/prepare-given.ts";
import { roleName } from "#trajectories/role-name.ts";
import styles from "#trajectories/trajectories.module.css";
import { CLOSED_LINES } from "#trajectories/turn-range.tsx";

/** The text of a given node: each message under its role where there are several, and what the chat template added, folded. */
export function GivenTexts({
  turn,
  body,
  isOpen,
  query,
}: {
  turn: TurnOutline;
  body: TurnView;
  isOpen: boolean;
  query: string;
}) {
  const shown = isOpen ? body.text : body.text.split("\n", CLOSED_LINES).join("\n");
  const parts = prepareGiven({ ...body, text: shown });
  const folded = body.templateText === undefined ? null : <Template text={body.templateText} />;
  const isAfter = (part: GivenPart) => part.role === "system" || part.role === "developer";
  const place = parts.findLastIndex(isAfter);
  return (
    <>
      {place < 0 && folded}
      {parts.map((part, at) => (
        <div key={part.from} className={part.role === null ? undefined : styles.part}>
          {part.role !== null && (
            <h4 className={styles.partRole}>
              {roleName(part.role)}
              {part.isRest && <span className="i3"> goes on</span>}
            </h4>
          )}
          <GivenText turn={turn} text={part.text} query={query} />
          {at === place && folded}
        </div>
      ))}
    </>
  );
}

/** What stands in no message: the tools' definitions, which the template makes of what the agent declared, or words of its own. */
function Template({ text }: { text: string }) {
  const lines = text.split("\n").length;
  return (
    <details className={styles.template}>
      <summary>
        Added by the chat template
        <span className="i3"> · {lines === 1 ? "1 line" : `${lines} lines`}</span>
      </summary>
      <div className={styles.block}>{text}</div>
    </details>
  );
}

function GivenText({ turn, text, query }: { turn: TurnOutline; text: string; query: string }) {
  const body = splitByMatch(text, query).map((piece, at) => {
    // Pieces of one text have no identity but their place.
    const key = `${at}`;
    return piece.isMatch ? (
      <mark key={key} className={styles.hit}>
        {piece.text}
      </mark>
    ) : (
      <span key={key}>{piece.text}</span>
    );
  });
  const isTool = turn.role === "tool";
  if (!isTool && turn.lines < 2) return <p className={styles.text}>{body}</p>;
  const outcome = isTool && turn.failed ? "fail" : /^PASS\b/.test(text) ? "pass" : undefined;
  return (
    <div className={styles.block}>
      <span className={outcome}>{body}</span>
    </div>
  );
}
