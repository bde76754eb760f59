"use client";
import type { RayActorView } from "@liverl/contract/cluster";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import styles from "#cluster/cluster.module.css";
import { SearchBox } from "#ui/search-box.tsx";
import { StatusWord } from "#ui/status-word.tsx";

const ROW = 28;
const KINDS = { ALIVE: "ok", DEAD: "off", RESTARTING: "warn" } as const;

/** Actors, those that need a look first; only those in view are mounted. */
export function RayActors({ actors, total }: { actors: readonly RayActorView[]; total: number }) {
  const [search, setSearch] = useState("");
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => prepareActors(actors, search), [actors, search]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  return (
    <div className={styles.actors}>
      <div className="row">
        <h3>Actors</h3>
        <span className="i3">
          {rows.length} of {total}
        </span>
        <span className="end">
          <SearchBox
            value={search}
            onChange={setSearch}
            label="Filter actors by class, state, node"
          />
        </span>
      </div>
      <div ref={scroller} className={`${styles.actorList} scroll`} role="list" aria-label="Actors">
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map((place) => {
            const actor = rows[place.index];
            if (!actor) return null;
            return (
              <div
                key={actor.id}
                role="listitem"
                className={styles.actor}
                style={{ height: ROW, transform: `translateY(${place.start}px)` }}
                title={actor.death ?? undefined}
              >
                <span className="m trunc">{actor.className}</span>
                <StatusWord kind={KINDS[actor.state as keyof typeof KINDS] ?? "boot"}>
                  {actor.state.toLowerCase().replaceAll("_", " ")}
                </StatusWord>
                <span className={`m i3 trunc ${styles.wide}`}>
                  {actor.nodeId?.slice(0, 8) ?? "no node"}
                  {actor.pid !== null && ` · ${actor.pid}`}
                </span>
                <span className="trunc i2">
                  {actor.death ?? (actor.restarts > 0 ? `${actor.restarts} restarts` : "")}
                </span>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

const ORDER = ["RESTARTING", "PENDING_CREATION", "DEPENDENCIES_UNREADY", "ALIVE", "DEAD"];

/** Pure. */
function prepareActors(actors: readonly RayActorView[], search: string): RayActorView[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const said = ({ className, state, nodeId, name, death }: RayActorView) =>
    [className, state, nodeId, name, death].join(" ").toLowerCase();
  return actors
    .filter((actor) => words.every((word) => said(actor).includes(word)))
    .sort(
      (a, b) =>
        ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || a.className.localeCompare(b.className),
    );
}
