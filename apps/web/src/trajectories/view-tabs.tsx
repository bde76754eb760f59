import type { TrajectoryView } from "@liverl/contract/views";
import { countPatch, parsePatch } from "#trajectories/parse-patch.ts";
import { countTokens } from "#trajectories/prepare-tokens.ts";
import styles from "#trajectories/trajectories.module.css";
import { type InspectorView, VIEWS } from "#trajectories/use-inspector.ts";
import { formatCount } from "#ui/format-number.ts";
import { Kbd } from "#ui/kbd.tsx";
import { Seg } from "#ui/seg.tsx";

const LABELS: Record<InspectorView, string> = {
  conversation: "Conversation",
  tokens: "Tokens",
  patch: "Patch",
  verifier: "Verifier",
  terminal: "Terminal",
  tree: "Tree",
  raw: "Raw",
  files: "Files",
};

/** Ways to look at the attempt, and which segment of its tree when there is more than one. */
export function ViewTabs({
  view,
  tab,
  segment,
  onTab,
  onSegment,
}: {
  view: TrajectoryView;
  tab: InspectorView;
  segment: number | null;
  onTab: (tab: InspectorView) => void;
  onSegment: (id: number) => void;
}) {
  const patch = view.patch === null ? null : countPatch(parsePatch(view.patch));
  const { verifier } = view;
  const counts: Partial<Record<InspectorView, string>> = {
    tokens: formatCount(countTokens(view.turns)),
    patch: patch === null ? undefined : `+${patch.added} −${patch.removed}`,
    verifier:
      verifier && verifier.passed !== null ? `${verifier.passed}/${verifier.total}` : undefined,
  };
  const shown = segment ?? view.segmentId ?? 0;
  return (
    <div className={`tabs ${styles.tabs}`} role="tablist" aria-label="Views">
      {VIEWS.map((name, at) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === tab}
          onClick={() => onTab(name)}
        >
          {LABELS[name]}
          {counts[name] !== undefined && <span className="cnt">{counts[name]}</span>}
          <Kbd>{at + 1}</Kbd>
        </button>
      ))}
      <span className="end row f12 i3" style={{ paddingRight: 8 }}>
        {view.segments.length > 1 && (
          <Seg
            label="Segment"
            value={String(shown)}
            options={view.segments.map((known) => ({
              value: String(known.id),
              label: `Segment ${known.id}`,
              title: known.trainable
                ? "trains"
                : `does not train: ${known.reason ?? "no reason given"}`,
            }))}
            onChange={(id) => onSegment(Number(id))}
          />
        )}
        <span className="row g4 hide-md">
          <Kbd>j</Kbd>
          <Kbd>k</Kbd> turn <Kbd>⇧J</Kbd>
          <Kbd>⇧K</Kbd> sibling <Kbd>l</Kbd> lens <Kbd>/</Kbd> find
        </span>
      </span>
    </div>
  );
}
