"use client";
import type { Known, SandboxesView } from "@liverl/contract/cluster";
import { SandboxState } from "@liverl/contract/sandbox";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { KnownNote } from "#cluster/known-note.tsx";
import { ErrorsPanel } from "#sandboxes/errors-panel.tsx";
import { ImagesPanel } from "#sandboxes/images-panel.tsx";
import { prepareSandboxes, SANDBOX_SORTS } from "#sandboxes/prepare-sandboxes.ts";
import { RunnersPanel } from "#sandboxes/runners-panel.tsx";
import { SandboxTable } from "#sandboxes/sandbox-table.tsx";
import styles from "#sandboxes/sandboxes.module.css";
import { StatesPanel } from "#sandboxes/states-panel.tsx";
import { trajectoryHref } from "#shell/links.ts";
import { PageFrame } from "#shell/page-frame.tsx";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { formatCount } from "#ui/format-number.ts";
import { Panel } from "#ui/panel.tsx";
import { SearchBox } from "#ui/search-box.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";
import { usePageKeys } from "#ui/use-page-keys.ts";

const REFRESH_MS = 2_500;
const SHORTCUTS = [
  { keys: ["j", "k"], does: "Next, previous sandbox" },
  { keys: ["↵"], does: "Open its trial" },
  { keys: ["t"], does: "Open its terminal" },
  { keys: ["/"], does: "Filter" },
];
const VIEW_STATE = {
  q: parseAsString.withDefault(""),
  state: parseAsStringLiteral(SandboxState.options),
  sort: parseAsStringLiteral(SANDBOX_SORTS).withDefault("age"),
  desc: parseAsBoolean.withDefault(false),
  pick: parseAsString,
};

/** Every trial that has a sandbox now, images on their way, and what lately went wrong. */
export function SandboxesPage() {
  const query = useQuery(
    useTRPC().sandbox.list.queryOptions(undefined, { refetchInterval: REFRESH_MS }),
  );
  return (
    <PageFrame nav="sandboxes" crumbs={[{ label: "Sandboxes" }]} shortcuts={SHORTCUTS}>
      <div className={styles.page}>
        {query.data ? (
          <>
            <header className={styles.title}>
              <h1>Sandboxes</h1>
              <span className="i2">{query.data.value?.host.value?.name}</span>
            </header>
            {query.isError && (
              <p className="note warn" role="status">
                LiveRL does not answer now: this is from before.
              </p>
            )}
            <Body known={query.data} />
          </>
        ) : query.isError ? (
          <ErrorState
            what="The sandboxes could not be read"
            error={query.error}
            onRetry={() => void query.refetch()}
            stillWorks="Trials go on."
          />
        ) : (
          <SkeletonRows rows={10} />
        )}
      </div>
    </PageFrame>
  );
}

function Body({ known }: { known: Known<SandboxesView> }) {
  const view = known.value;
  // Neither is there yet: it is asked for.
  if (view === null && known.fault === null) return <SkeletonRows rows={10} />;
  if (view === null) return <KnownNote at={known.at} fault={known.fault} />;
  const { host } = view;
  const fault = host.fault ?? host.value?.fault ?? null;
  return (
    <>
      <KnownNote at={known.at} fault={known.fault} />
      {fault !== null && known.fault === null && (
        <HostFault fault={fault} isWanted={view.trials.length > 0} />
      )}
      <div className={known.fault === null ? styles.panels : `${styles.panels} ${styles.stale}`}>
        <StatesPanel view={view} />
        {view.images.length > 0 && <ImagesPanel images={view.images} />}
        {view.runners.length > 0 && <RunnersPanel runners={view.runners} />}
        <TrialsPanel view={view} />
        <ErrorsPanel errors={view.errors} />
      </div>
    </>
  );
}

/** Trouble only where something is in a sandbox or waits for one: most machines that train without have no containers. */
function HostFault({ fault, isWanted }: { fault: string; isWanted: boolean }) {
  return isWanted ? (
    <p className="note bad" role="alert">
      No sandbox can start now: {fault}
    </p>
  ) : (
    <p className="note" role="status">
      Nothing here needs a sandbox now, and none could start: {fault}
    </p>
  );
}

function TrialsPanel({ view }: { view: SandboxesView }) {
  const router = useRouter();
  const [state, set] = useQueryStates(VIEW_STATE);
  const rows = useMemo(
    () =>
      prepareSandboxes(view, {
        filter: state.q,
        state: state.state,
        sort: state.sort,
        isDescending: state.desc,
      }),
    [view, state],
  );
  const here = rows.findIndex(({ rolloutId }) => rolloutId === state.pick);
  const picked = rows[here];
  const move = (by: 1 | -1) => {
    const next = rows[here < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, here + by))];
    if (next) void set({ pick: next.rolloutId });
  };
  const open = (tail: string) => {
    if (picked?.run)
      router.push(`${trajectoryHref(picked.run.project, picked.runId, picked.rolloutId)}${tail}`);
  };
  usePageKeys([
    ["J", () => move(1)],
    ["K", () => move(-1)],
    ["T", () => open("?tab=terminal")],
    ["Enter", () => isOnControl() || open(""), { preventDefault: false }],
  ]);
  return (
    <Panel
      title="Trials"
      note={
        rows.length === view.trials.length
          ? formatCount(rows.length)
          : `${formatCount(rows.length)} of ${formatCount(view.trials.length)}`
      }
      right={
        <SearchBox
          label="Filter sandboxes"
          value={state.q}
          onChange={(q) => void set({ q: q === "" ? null : q })}
        />
      }
    >
      {view.trials.length === 0 ? (
        <EmptyState title="No trial is in a sandbox">
          Tasks in Harbor's format have one each. The embedded policy's need none.
        </EmptyState>
      ) : rows.length === 0 ? (
        <EmptyState
          title="No sandbox is like that"
          action={
            <button
              type="button"
              className="lnk"
              onClick={() => void set({ q: null, state: null })}
            >
              Show all {formatCount(view.trials.length)}
            </button>
          }
        />
      ) : (
        <SandboxTable
          rows={rows}
          picked={state.pick}
          sort={state.sort}
          isDescending={state.desc}
          onSort={(sort) => void set({ sort, desc: sort === state.sort ? !state.desc : null })}
        />
      )}
    </Panel>
  );
}

/** A focused link or button answers to Enter itself. */
const isOnControl = () =>
  document.activeElement instanceof HTMLAnchorElement ||
  document.activeElement instanceof HTMLButtonElement;
