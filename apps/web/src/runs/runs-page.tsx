"use client";
import { RUN_FIELDS } from "@liverl/contract/filter/filter-fields";
import { Button } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo, useState } from "react";
import { MOST_RUNS } from "#compare/prepare-compare.ts";
import { FilterBox } from "#filters/filter-box.tsx";
import { readFilterText } from "#filters/read-fault.ts";
import { SavedFilters } from "#filters/saved-filters.tsx";
import { AttachDialog } from "#runs/attach-dialog.tsx";
import { countViews, prepareRuns, RUN_SORTS, RUN_VIEW_IDS, RUN_VIEWS } from "#runs/prepare-runs.ts";
import { RunTable } from "#runs/run-table.tsx";
import { TagRunsButton } from "#runs/tag-runs-button.tsx";
import { useRunValues } from "#runs/use-run-values.ts";
import { compareHref, launchHref, runHref } from "#shell/links.ts";
import { PageFrame } from "#shell/page-frame.tsx";
import { useProject } from "#shell/use-route.ts";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Icon } from "#ui/icon.tsx";
import { Kbd } from "#ui/kbd.tsx";
import { Link } from "#ui/link.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";
import { StatusDot } from "#ui/status-dot.tsx";

const SHORTCUTS = [
  { keys: ["j", "k"], does: "Next, previous run" },
  { keys: ["↵"], does: "Open the run" },
  { keys: ["x"], does: "Mark the run" },
  { keys: ["c"], does: "Compare the marked runs" },
  { keys: ["/"], does: "Filter" },
];
/** Runs that are asked for at once, and at most: the table holds no more. */
const PAGE = 100;
const MOST = 1_000;
const EXAMPLE = 'status = failed or name ~ "async" and reward > 0.5';
const VIEW_STATE = {
  view: parseAsStringLiteral(RUN_VIEW_IDS).withDefault("all"),
  f: parseAsString.withDefault(""),
  sort: parseAsStringLiteral(RUN_SORTS).withDefault("started"),
  asc: parseAsBoolean.withDefault(false),
};

/** All runs of a project. */
export function RunsPage() {
  const project = useProject();
  const router = useRouter();
  const trpc = useTRPC();
  const [state, setState] = useQueryStates(VIEW_STATE);
  const [limit, setLimit] = useState(PAGE);
  const query = useQuery(
    trpc.run.list.queryOptions(
      { project, limit, ...(state.f === "" ? {} : { f: state.f }) },
      {
        enabled: readFilterText(state.f, RUN_FIELDS).fault === null,
        placeholderData: keepPreviousData,
      },
    ),
  );
  const valuesOf = useRunValues(project);
  const [picked, setPicked] = useState<string | null>(null);
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [isAttachOpen, attach] = useDisclosure(false);
  const runs = query.data?.runs;
  const rows = useMemo(
    () =>
      runs === undefined
        ? []
        : prepareRuns(runs, {
            view: state.view,
            sort: state.sort,
            isDescending: !state.asc,
          }),
    [runs, state],
  );
  const counts = useMemo(() => countViews(runs ?? []), [runs]);

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
  useHotkeys([
    ["J", () => move(1)],
    ["K", () => move(-1)],
    ["Enter", openPicked, { preventDefault: false }],
  ]);
  // A box that was just ticked has the focus, and these keys are for then.
  useHotkeys(
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
            className={id === state.view ? "on" : ""}
            aria-pressed={id === state.view}
            onClick={() => void setState({ view: id })}
          >
            {id === "look" && counts.look > 0 && <StatusDot kind="warn" />}
            {label}
            {runs !== undefined && <span className="cnt">{counts[id]}</span>}
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
          value={state.f}
          fields={RUN_FIELDS}
          example={EXAMPLE}
          onApply={(f) => void setState({ f: f.trim() || null })}
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
        {query.data !== undefined && (
          <span className="f12 i3 nowrap" role="status">
            {rows.length === query.data.total
              ? `${rows.length} ${rows.length === 1 ? "run" : "runs"}`
              : `${rows.length} of ${query.data.total} runs`}
          </span>
        )}
        {query.data !== undefined && query.data.total > query.data.runs.length && limit < MOST && (
          <Button size="compact-sm" onClick={() => setLimit(Math.min(MOST, limit + PAGE * 2))}>
            Load more
          </Button>
        )}
        <SavedFilters
          project={project}
          target="runs"
          current={state.f}
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
      {query.isPending && <SkeletonRows rows={8} />}
      {query.isError && runs === undefined && (
        <ErrorState
          what="The runs could not be read"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {runs !== undefined && runs.length === 0 && state.f === "" && (
        <EmptyState
          title="No runs in this project yet"
          action={
            <span className="row">
              <Button variant="filled" component={Link} href={launchHref(project)}>
                Launch a run
              </Button>
              <Button onClick={attach.open}>Attach a run</Button>
            </span>
          }
        >
          Launch one here, or attach a run of verl, TensorBoard, MLflow, W&B or your own program.
        </EmptyState>
      )}
      {runs !== undefined && rows.length === 0 && (runs.length > 0 || state.f !== "") && (
        <EmptyState
          title="No run matches"
          action={
            <Button onClick={() => void setState({ f: null, view: null })}>Show all runs</Button>
          }
        />
      )}
      {rows.length > 0 && (
        <RunTable
          rows={rows}
          picked={picked}
          marked={marked}
          onMark={mark}
          sort={state.sort}
          isDescending={!state.asc}
          onSort={(sort) =>
            void setState(
              sort === state.sort
                ? { asc: !state.asc }
                : { sort, asc: sort === "name" || sort === "status" },
            )
          }
        />
      )}
      <AttachDialog project={project} isOpen={isAttachOpen} onClose={attach.close} />
    </PageFrame>
  );
}

function isTyping(): boolean {
  const element = document.activeElement;
  return element instanceof HTMLInputElement && element.type !== "checkbox";
}
