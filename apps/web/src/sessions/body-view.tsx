"use client";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import { prepareJsonLines } from "#sessions/prepare-json-lines.ts";
import styles from "#sessions/sessions.module.css";
import { CopyButton } from "#ui/copy-button.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { formatBytes } from "#ui/format-number.ts";
import { Seg } from "#ui/seg.tsx";

const LINE = 18;
/** To indent more takes longer than anyone wants to wait at a click. */
const INDENTED_CHARACTERS = 4_000_000;

/** A body as text, whole, with only the lines in view mounted. Whatever it holds, it is shown and never run. */
export function BodyView({
  label,
  body,
  missing,
}: {
  label: string;
  body: string | null;
  /** Why there may be none. */
  missing: string;
}) {
  return (
    <section className={styles.body} aria-label={label}>
      {body === null ? (
        <EmptyState title={`No ${label.toLowerCase()}`}>{missing}</EmptyState>
      ) : (
        <Lines label={label} body={body} />
      )}
    </section>
  );
}

function Lines({ label, body }: { label: string; body: string }) {
  const isLarge = body.length > INDENTED_CHARACTERS;
  const [form, setForm] = useState<"indented" | "sent">("indented");
  const pretty = form === "indented" && !isLarge;
  const lines = useMemo(() => prepareJsonLines(body, pretty), [body, pretty]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    overscan: 20,
  });
  return (
    <>
      <div className={styles.bodyHead}>
        <h3>{label}</h3>
        <span className="i3">{formatBytes(new Blob([body]).size)}</span>
        <span className="end row">
          <Seg
            label={`Form of the ${label.toLowerCase()}`}
            value={pretty ? "indented" : "sent"}
            options={[
              {
                value: "indented",
                label: "Indented",
                title: isLarge ? "Too large to indent" : "White space added, nothing else",
              },
              { value: "sent", label: "As sent" },
            ]}
            onChange={setForm}
          />
          <CopyButton text={body} what={`the ${label.toLowerCase()}`} />
        </span>
      </div>
      <div
        ref={scroller}
        className={`${styles.bodyLines} scroll`}
        role="region"
        aria-label={`${label} text`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keyboard
        tabIndex={0}
      >
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <div key={index} style={{ transform: `translateY(${start}px)` }}>
              <i>{lines[index]?.number}</i>
              <span>{lines[index]?.text}</span>
            </div>
          ))}
        </div>
      </div>
    </>
  );
}
