"use client";
import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useMemo, useRef } from "react";
import { blocksLaunch } from "#launch/blocks-launch.ts";
import type { LaunchSection } from "#launch/fields/launch-field.ts";
import { fieldsOf, sectionsOf } from "#launch/fields/launch-sections.ts";
import styles from "#launch/launch.module.css";
import { LaunchForm, sectionDomId } from "#launch/launch-form.tsx";
import { LaunchHead } from "#launch/launch-head.tsx";
import {
  ChangesSection,
  MemorySection,
  PlanSection,
  PreflightSection,
} from "#launch/launch-side.tsx";
import { PastedNote } from "#launch/pasted-note.tsx";
import { prepareChanges } from "#launch/prepare-changes.ts";
import { prepareLineNotes } from "#launch/prepare-line-notes.ts";
import { preparePlanFacts } from "#launch/prepare-plan-facts.tsx";
import { prepareFieldFaults } from "#launch/prepare-preflight.ts";
import { prepareProvenance } from "#launch/prepare-provenance.ts";
import { isSectionShown, viewOfDraft } from "#launch/prepare-section.ts";
import { type Launch, useLaunch } from "#launch/use-launch.ts";
import { VerlMemorySection } from "#launch/verl-memory-section.tsx";
import { runHref } from "#shell/links.ts";
import { PageFrame } from "#shell/page-frame.tsx";
import { useProject } from "#shell/use-route.ts";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
import { ErrorState } from "#ui/error-state.tsx";
import { Kbd } from "#ui/kbd.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { StatusWord } from "#ui/status-word.tsx";
import { usePageKeys } from "#ui/use-page-keys.ts";

const LaunchYaml = dynamic(
  () => import("#launch/launch-yaml.tsx").then((file) => file.LaunchYaml),
  { ssr: false },
);
const SHORTCUTS = [{ keys: ["⌘", "↵"], does: "Launch" }];

export function LaunchPage() {
  const project = useProject();
  const launch = useLaunch(project);
  const [view, setView] = useQueryState(
    "view",
    parseAsStringLiteral(["form", "yaml"]).withDefault("form"),
  );
  return (
    <PageFrame nav="launch" crumbs={[{ label: "Launch" }]} shortcuts={SHORTCUTS} fills>
      <LaunchHead launch={launch} view={view} onView={(next) => void setView(next)} />
      {launch.base.error && launch.draft.text === null ? (
        <ErrorState
          what="What to start from could not be read"
          error={launch.base.error}
          onRetry={launch.base.retry}
        />
      ) : launch.draft.text === null ? (
        <SkeletonRows rows={10} height={44} />
      ) : (
        <LaunchBody launch={launch} project={project} view={view} />
      )}
    </PageFrame>
  );
}

function LaunchBody({
  launch,
  project,
  view,
}: {
  launch: Launch;
  project: string;
  view: "form" | "yaml";
}) {
  const { base, parsed, checks, planned, isOutdated } = launch;
  const items = planned?.preflight ?? [];
  const faults = useMemo(
    () => prepareFieldFaults(launch.faults, isOutdated ? [] : items),
    [launch.faults, isOutdated, items],
  );
  const baseSpec = useMemo(() => {
    const isOfDriver = base.spec?.driver === launch.driver;
    // The target of another driver is nothing to compare with.
    return { ...base.spec, project, ...(isOfDriver ? {} : { target: undefined }) };
  }, [base.spec, project, launch.driver]);
  const sources = useMemo(
    () =>
      prepareProvenance({
        spec: parsed.spec,
        base: baseSpec,
        kind: base.kind,
        defaults: launch.defaults,
        fields: fieldsOf(launch.driver),
      }),
    [parsed.spec, baseSpec, base.kind, launch.defaults, launch.driver],
  );
  const changes = useMemo(() => prepareChanges(parsed.spec, baseSpec), [parsed.spec, baseSpec]);
  const notes = useMemo(
    () => prepareLineNotes(parsed.lines, sources, faults, parsed.fault),
    [parsed, sources, faults],
  );
  const plan = planned?.plan ?? null;
  const listed = parsed.fault
    ? [{ path: `line ${parsed.fault.line}`, message: parsed.fault.message }]
    : launch.faults;
  return (
    <>
      <div className={styles.cols}>
        <SectionNav
          sections={sectionsOf(launch.driver).filter((section) =>
            isSectionShown(section, viewOfDraft(parsed.spec, faults, sources)),
          )}
          faults={faults}
          isForm={view === "form"}
        />
        <div className="scroll">
          <PastedNote launch={launch} />
          {view === "form" ? (
            <LaunchForm launch={launch} sources={sources} faults={faults} />
          ) : (
            <LaunchYaml text={launch.text} notes={notes} onChange={launch.draft.setText} />
          )}
        </div>
        <aside className={`${styles.side} scroll`} aria-label="Consequences">
          {checks.isError ? (
            <ErrorState
              what="The checks could not run"
              error={checks.error}
              onRetry={() => void checks.refetch()}
            />
          ) : (
            <PreflightSection
              items={items}
              faults={listed}
              isChecking={launch.isChecking && !isOutdated}
              isOutdated={isOutdated}
              checkedAtMs={checks.dataUpdatedAt || null}
              onFix={({ path, value, also = {} }) =>
                launch.changeAll([
                  { path, value },
                  ...Object.entries(also).map(([path, value]) => ({ path, value })),
                ])
              }
            />
          )}
          {!parsed.fault && (
            <ChangesSection changes={changes.changes} values={changes.values} base={base.label} />
          )}
          {plan && planned && (
            <div className={isOutdated ? styles.outdated : undefined}>
              {plan.kind === "embedded" && <MemorySection plan={plan} />}
              {plan.kind === "verl" && <VerlMemorySection plan={plan} />}
              <PlanSection facts={preparePlanFacts(plan, planned.spec)} plan={plan} />
            </div>
          )}
        </aside>
      </div>
      <LaunchFoot
        launch={launch}
        project={project}
        fails={items.filter((item) => item.status === "fail").length}
      />
    </>
  );
}

function SectionNav({
  sections,
  faults,
  isForm,
}: {
  sections: readonly LaunchSection[];
  faults: ReadonlyMap<string, { level: "fail" | "warn" }>;
  isForm: boolean;
}) {
  return (
    <nav className={styles.nav} aria-label="Sections">
      {sections.map((section) => {
        const paths = section.fields.map((field) => field.path);
        const levels = [...faults].flatMap(([path, { level }]) =>
          paths.some((own) => path === own || path.startsWith(`${own}.`)) ? level : [],
        );
        const worst = levels.includes("fail") ? "bad" : levels.includes("warn") ? "warn" : null;
        return (
          <a
            key={section.id}
            href={`#${sectionDomId(section.id)}`}
            aria-disabled={!isForm}
            onClick={(event) => {
              event.preventDefault();
              document.getElementById(sectionDomId(section.id))?.scrollIntoView({ block: "start" });
            }}
          >
            {section.label}
            {worst && <StatusDot kind={worst} title={worst === "bad" ? "not valid" : "warning"} />}
          </a>
        );
      })}
    </nav>
  );
}

function LaunchFoot({
  launch,
  project,
  fails,
}: {
  launch: Launch;
  project: string;
  fails: number;
}) {
  const trpc = useTRPC();
  const router = useRouter();
  const queries = useQueryClient();
  // One key for one intent: pressing twice, or again after a lost answer, starts one run.
  const key = useRef<string | null>(null);
  const start = useMutation(
    trpc.run.launch.mutationOptions({
      onSuccess: ({ id }, { spec }) => {
        // The form stays as it was launched until the run's page replaces it.
        launch.draft.release();
        router.push(runHref(spec.project, id));
        void queries.invalidateQueries(trpc.run.list.queryFilter());
        void queries.invalidateQueries(trpc.launch.suggestName.queryFilter());
      },
    }),
  );
  const { spec } = launch;
  const reason = blocksLaunch({
    yamlFault: launch.parsed.fault !== null,
    faults: launch.faults.length,
    fails,
    checking: launch.isChecking,
    unreachable: launch.checks.isError,
  });
  // Shown until the values change.
  const isRefused = start.isError && JSON.stringify(start.variables?.spec) === JSON.stringify(spec);
  const isLaunching = start.isPending || start.isSuccess;
  const isReady = reason === null && spec !== null && !isLaunching;
  const press = () => {
    if (!isReady || spec === null) return;
    const wanted = JSON.stringify(spec);
    if (key.current === null || !key.current.startsWith(`${wanted} `))
      key.current = `${wanted} ${crypto.randomUUID()}`;
    start.mutate({
      spec,
      idempotencyKey: key.current.slice(wanted.length + 1),
      ...(launch.base.chosen && { base: launch.base.chosen }),
    });
  };
  usePageKeys([["mod+Enter", press]], [], true);
  return (
    <footer className={styles.foot}>
      <span className={`${styles.what} trunc`}>
        {spec ? (
          <span className="m">
            {spec.project}/{spec.name}
          </span>
        ) : (
          project
        )}{" "}
        · {fieldsOf(launch.driver).length} values
      </span>
      {isRefused ? (
        <span className="bad-t f12" role="alert">
          Launch failed: {describeError(start.error).message}
        </span>
      ) : (
        <span className="f12" role="status">
          {isLaunching ? (
            <StatusWord kind="boot">
              <span className="i2">Launching</span>
            </StatusWord>
          ) : reason === null ? (
            <StatusWord kind="ok">
              <span className="ok-t">Ready</span>
            </StatusWord>
          ) : (
            <StatusWord kind={reason === "Checking" ? "boot" : "bad"}>
              <span className={reason === "Checking" ? "i2" : "bad-t"}>{reason}</span>
            </StatusWord>
          )}
        </span>
      )}
      <Button
        variant="filled"
        disabled={!isReady && !isLaunching}
        loading={isLaunching}
        onClick={press}
        rightSection={<Kbd onFill={isReady}>⌘↵</Kbd>}
      >
        Launch
      </Button>
    </footer>
  );
}
