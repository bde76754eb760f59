import type { PatchLine } from "#trajectories/parse-patch.ts";

const CLASSES: Record<PatchLine["kind"], string> = {
  file: "hk",
  hunk: "hk",
  note: "hk",
  same: "l",
  add: "l add",
  remove: "l del",
};
const SIGNS: Partial<Record<PatchLine["kind"], string>> = { add: "+", remove: "−" };

/** Lines of a patch with one column of numbers: the new ones, and the old ones of what is gone. */
export function DiffLines({
  lines,
  marks,
}: {
  lines: readonly PatchLine[];
  marks?: ReadonlyMap<number, readonly { text: string; isChanged: boolean }[]>;
}) {
  return (
    <div className="diff one" style={{ overflowX: "auto" }}>
      {lines.map((line, at) => {
        const number = line.after ?? line.before;
        // Lines of a patch have no identity but their place.
        const key = at;
        if (line.kind === "file" || line.kind === "hunk" || line.kind === "note") {
          return (
            <div key={key} className={CLASSES[line.kind]}>
              {line.text}
            </div>
          );
        }
        const pieces = marks?.get(at);
        return (
          <div key={key} className={CLASSES[line.kind]}>
            <i>{number}</i>
            <s>{SIGNS[line.kind] ?? ""}</s>
            <b>
              {pieces
                ? pieces.map((piece, place) => {
                    const pieceKey = `${place}`;
                    return piece.isChanged ? (
                      <mark key={pieceKey}>{piece.text}</mark>
                    ) : (
                      <span key={pieceKey}>{piece.text}</span>
                    );
                  })
                : line.text || " "}
            </b>
          </div>
        );
      })}
    </div>
  );
}
