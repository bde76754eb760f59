"use client";
import type { TurnMatch } from "@liverl/contract/turn-view";
import { FindBox } from "#trajectories/find-box.tsx";
import { nextMatch } from "#trajectories/next-match.ts";
import styles from "#trajectories/trajectories.module.css";
import type { Inspector } from "#trajectories/use-inspector.ts";
import { Chip } from "#ui/chip.tsx";
import { Icon } from "#ui/icon.tsx";

/** What is sought, and which kinds of text are shown. */
export function ConversationBar({
  inspector,
  matches,
  onJump,
}: {
  inspector: Inspector;
  matches: readonly TurnMatch[];
  onJump: (nodeId: number) => void;
}) {
  const { q, exact, tools, given, turn, set } = inspector;
  return (
    <div className={styles.bar}>
      <FindBox
        value={q}
        at={matches.findIndex(({ nodeId }) => nodeId === turn)}
        turns={matches.length}
        matches={matches.reduce((sum, { count }) => sum + count, 0)}
        onChange={(next) => void set({ q: next || null })}
        onNext={(by) => {
          const next = nextMatch(matches, turn, by);
          if (next !== null) onJump(next);
        }}
      />
      <span className="f12 i3 hide-md" style={{ marginLeft: 6 }}>
        Show
      </span>
      <Toggle label="Tool output" isOn={tools} onToggle={() => void set({ tools: !tools })} />
      <Toggle label="Given text" isOn={given} onToggle={() => void set({ given: !given })} />
      <Toggle label="Exact tokens" isOn={exact} onToggle={() => void set({ exact: !exact })} />
    </div>
  );
}

function Toggle({ label, isOn, onToggle }: { label: string; isOn: boolean; onToggle: () => void }) {
  return (
    <Chip tone={isOn ? "on" : "neutral"} pressed={isOn} onClick={onToggle}>
      {isOn && <Icon name="check" size={11} />}
      {label}
    </Chip>
  );
}
