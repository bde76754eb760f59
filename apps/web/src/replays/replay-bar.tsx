"use client";
import styles from "#replays/replays.module.css";
import type { ReplayLook } from "#replays/use-replay-view.ts";
import { Kbd } from "#ui/kbd.tsx";
import { Seg } from "#ui/seg.tsx";

/** How completions are shown and in which order. */
export function ReplayBar({ look, hasScores }: { look: ReplayLook; hasScores: boolean }) {
  const { show, sort, side, set } = look;
  return (
    <div className={styles.bar}>
      <Seg
        label="Show"
        value={show}
        options={[
          { value: "difference", label: "Difference", title: "Word by word, against the original" },
          { value: "logprob", label: "Log-probs", title: "Tokens tinted by −log p" },
          { value: "text", label: "Text" },
        ]}
        onChange={(next) => void set({ show: next })}
      />
      {show === "logprob" && hasScores && (
        <span className="row g4">
          <span className="f12 i3">Original</span>
          <Seg
            label="Log-probs of the original"
            value={side}
            options={[
              { value: "recorded", label: "as recorded" },
              { value: "these", label: "under these weights" },
              { value: "change", label: "change", title: "Blue: these weights find it likelier" },
            ]}
            onChange={(next) => void set({ side: next })}
          />
        </span>
      )}
      <span className="row g4">
        <span className="f12 i3">Sort</span>
        <Seg
          label="Sort"
          value={sort}
          options={[
            { value: "sampled", label: "as sampled" },
            { value: "logprob", label: "mean log-prob" },
            { value: "length", label: "length" },
          ]}
          onChange={(next) => void set({ sort: next })}
        />
      </span>
      <span className={`row g4 f12 i3 hide-md ${styles.keys}`}>
        <Kbd>j</Kbd>
        <Kbd>k</Kbd> completion <Kbd>d</Kbd> difference <Kbd>l</Kbd> log-probs <Kbd>o</Kbd> order
      </span>
    </div>
  );
}
