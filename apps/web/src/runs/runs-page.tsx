"use client";
import { RUN_FIELDS } from "@liverl/contract/filter/filter-fields";
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { MOST_RUNS } from "#compare/prepare-compare.ts";
import { FilterBox } from "#filters/filter-box.tsx";
import { SavedFilters } from "#filters/saved-filters.tsx";
import { AttachDialog } from "#runs/attach-dialog.tsx";
import { ImportDialog } from "#runs/import-dialog.tsx";
import { nextRunSort, RUN_VIEWS } from "#runs/prepare-runs.ts";
import { RunTable } from "#runs/run-table.tsx";
import { TagRunsButton } from "#runs/tag-runs-button.tsx";
import { useRunList } from "#runs/use-run-list.ts";
import { useRunValues } from "#runs/use-run-values.ts";
import { compareHref, launchHref, runHref } from "#shell/links.ts";
import { PageFrame } from "#shell/page-frame.tsx";
import { useProject } from "#shell/use-route.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { formatCount } from "#ui/format-number.ts";
import { Icon } from "#ui/icon.tsx";
import { Kbd } from "#ui/kbd.tsx";
import { Link } from "#ui/link.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { usePageKeys } from "#ui/use-page-keys.ts";

const SHORTCUTS = [
  { keys: ["j", "k"], does: "Next, previous run" },
  { keys: ["↵"], does: "Open the run" },
  { keys: ["x"], does: "Mark the run" },
  { keys: ["c"], does: "Compare the marked runs" },
  { keys: ["/"], does: "Filter" },
];
const EXAMPLE = 'status = failed or name ~ "async" and reward > 0.5';

/** All runs of a project. */
export function RunsPage() {
  const project = useProject();
  const router = useRouter();
  const list = useRunList(project);
  const { query, rows, total, counts, setState } = list;
  const valuesOf = useRunValues(project);
  const [picked, setPicked] = useState<string | null>(null);
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [isFilterValid, setFilterValid] = useState(true);
  const [isAttachOpen, attach] = useDisclosure(false);
  const [isImportOpen, importing] = useDisclosure(false);

  function move(by: 1 | -1): void {
    const here = rows.findIndex(({ id }) => id === picked);
    const there = here < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, here + by));
    setPicked(rows[there]?.id ?? null);
  }
  function mark(id: string): void {
    const next = new Set(marked);
    if (!next.delete(id)) next.add(id);
    setMarked(next);
  }
  function compare(): void {
    if (marked.size > 1) router.push(compareHref(project, [...marked]));
  }
  function openPicked(): void {
    // A focused link or button answers to Enter itself.
    const isOnControl =
      document.activeElement instanceof HTMLAnchorElement ||
      document.activeElement instanceof HTMLButtonElement;
    if (picked !== null && !isOnControl) router.push(runHref(project, picked));
  }
  usePageKeys([
    ["J", () => move(1)],
    ["K", () => move(-1)],
    ["Enter", openPicked, { preventDefault: false }],
  ]);
  // A box that was just ticked has the focus, and these keys are for then.
  usePageKeys(
    [
      ["X", () => !isTyping() && picked !== null && mark(picked)],
      ["C", () => !isTyping() && compare()],
    ],
    ["TEXTAREA", "SELECT"],
  );

  const head = (
    <>
      <div className="tabs runs-tabs">
        {RUN_VIEWS.map(({ id, label }) => (
          <button
            key={id}
            type="button"
            className={id === list.view ? "on" : ""}
            aria-pressed={id === list.view}
            onClick={() => void setState({ view: id })}
          >
            {id === "look" && counts !== undefined && counts.look > 0 && <StatusDot kind="warn" />}
            {label}
            {counts !== undefined && <span className="cnt">{formatCount(counts[id])}</span>}
          </button>
        ))}
        <span className="end row">
          <Button
            size="compact-sm"
            leftSection={<Icon name="file" size={13} />}
            onClick={attach.open}
          >
            Attach a run
          </Button>
          <Button
            size="compact-sm"
            leftSection={<Icon name="down" size={13} />}
            onClick={importing.open}
          >
            Import
          </Button>
          <Button
            size="compact-sm"
            variant="filled"
            component={Link}
            href={launchHref(project)}
            leftSection={<Icon name="launch" size={13} />}
            rightSection={<Kbd onFill>n</Kbd>}
          >
            Launch
          </Button>
        </span>
      </div>
      <div className="runs-bar">
        <FilterBox
          value={list.f}
          fields={RUN_FIELDS}
          example={EXAMPLE}
          onApply={(f) => void setState({ f: f.trim() || null })}
          onValid={setFilterValid}
          valuesOf={valuesOf}
        />
        {marked.size > 0 && (
          <>
            <Button size="compact-sm" variant="subtle" onClick={() => setMarked(new Set())}>
              Clear
            </Button>
            <Button
              size="compact-sm"
              disabled={marked.size < 2 || marked.size > MOST_RUNS}
              title={
                marked.size < 2
                  ? "Mark one more"
                  : marked.size > MOST_RUNS
                    ? `${MOST_RUNS} at most`
                    : undefined
              }
              leftSection={<Icon name="compare" size={13} />}
              rightSection={<Kbd>c</Kbd>}
              onClick={compare}
            >
              Compare {marked.size}
            </Button>
            <TagRunsButton ids={[...marked]} what={`${marked.size} marked`} />
          </>
        )}
        {total !== undefined && (
          <span className="f12 i3 nowrap" role="status">
            {!isFilterValid
              ? "Filter not applied"
              : rows.length === total
                ? `${formatCount(total)} ${total === 1 ? "run" : "runs"}`
                : `${formatCount(rows.length)} of ${formatCount(total)} runs`}
          </span>
        )}
        <SavedFilters
          project={project}
          target="runs"
          current={list.f}
          onApply={(f) => void setState({ f })}
        />
      </div>
    </>
  );

  return (
    <PageFrame
      nav="runs"
      crumbs={[{ label: "Runs" }]}
      title={`Runs · ${project}`}
      head={head}
      shortcuts={SHORTCUTS}
      fills
    >
      {query.isPending && query.fetchStatus !== "idle" && <SkeletonRows rows={8} />}
      {query.isError && total === undefined && (
        <ErrorState
          what="The runs could not be read"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {total === 0 && list.f === "" && counts?.all === 0 && (
        <EmptyState
          title="No runs in this project yet"
          action={
            <span className="row">
              <Button variant="filled" component={Link} href={launchHref(project)}>
                Launch a run
              </Button>
              <Button onClick={attach.open}>Attach a run</Button>
              <Button onClick={importing.open}>Import an archive</Button>
            </span>
          }
        >
          Launch one here, attach a run of verl, TensorBoard, MLflow, W&B or your own program, or
          import one that was archived.
        </EmptyState>
      )}
      {total === 0 && (list.f !== "" || counts?.all !== 0) && (
        <EmptyState
          title="No matching runs"
          action={
            <Button onClick={() => void setState({ f: null, view: null })}>
              {list.f === "" ? "Show all runs" : "Clear filter"}
            </Button>
          }
        />
      )}
      {rows.length > 0 && (
        <RunTable
          rows={rows}
          picked={picked}
          marked={marked}
          onMark={mark}
          sort={list.sort}
          isOld={query.isPlaceholderData || !isFilterValid}
          onSort={(field) => void setState({ sort: nextRunSort(list.sort, field) })}
          more={
            query.hasNextPage && !query.isPlaceholderData ? (
              <Button
                size="compact-sm"
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                Load more
              </Button>
            ) : null
          }
        />
      )}
      <AttachDialog project={project} isOpen={isAttachOpen} onClose={attach.close} />
      <ImportDialog isOpen={isImportOpen} onClose={importing.close} />
    </PageFrame>
  );
}

function isTyping(): boolean {
  const element = document.activeElement;
  return element instanceof HTMLInputElement && element.type !== "checkbox";
}
