"use client";
import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { BrowsersPanel } from "#settings/browsers-panel.tsx";
import { IngestTokensPanel } from "#settings/ingest-tokens-panel.tsx";
import { MetricNamesPanel } from "#settings/metric-names-panel.tsx";
import { ASPECTS, rowsOfAspect } from "#settings/prepare-thresholds.ts";
import { PricesPanel } from "#settings/prices-panel.tsx";
import styles from "#settings/settings.module.css";
import { ThresholdRow } from "#settings/threshold-row.tsx";
import { PageFrame } from "#shell/page-frame.tsx";
import { useProject } from "#shell/use-route.ts";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
import { ErrorState } from "#ui/error-state.tsx";
import { Panel } from "#ui/panel.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

/** What a project decides for itself: by which bounds its runs are judged, and what their hours cost. */
export function SettingsPage() {
  const project = useProject();
  const trpc = useTRPC();
  const query = useQuery(trpc.threshold.list.queryOptions({ project }));
  const thresholds = query.data?.thresholds;
  const changed = thresholds?.filter(({ isChanged }) => isChanged).length ?? 0;
  return (
    <PageFrame nav="settings" crumbs={[{ label: "Settings" }]}>
      <div className={styles.page}>
        <header className={styles.title}>
          <h1>Settings of {project}</h1>
        </header>
        <div className={styles.lead}>
          <p className="i2">
            A run is judged by these bounds: beyond the first a sign is a warning, beyond the second
            an alarm. Leave one empty to switch it off. They are defaults to start from, not truths:
            models and tasks differ. A change holds for every run of the project at once.
          </p>
          {changed > 0 && <ResetAll project={project} count={changed} />}
        </div>
        {thresholds ? (
          ASPECTS.map(({ id, title, note }) => (
            <Panel key={id} title={title} note={note}>
              <ul className={styles.rows} aria-label={`Thresholds of ${title.toLowerCase()}`}>
                {rowsOfAspect(thresholds, id).map((row) => (
                  // What is typed stands until the bounds change: then the row begins anew.
                  <ThresholdRow
                    key={`${row.id} ${row.warn} ${row.bad}`}
                    project={project}
                    row={row}
                  />
                ))}
              </ul>
            </Panel>
          ))
        ) : query.isError ? (
          <ErrorState
            what="The thresholds could not be read"
            error={query.error}
            onRetry={() => void query.refetch()}
          />
        ) : (
          <SkeletonRows rows={12} />
        )}
        <MetricNamesPanel project={project} />
        <PricesPanel project={project} />
        <IngestTokensPanel project={project} />
        <BrowsersPanel />
      </div>
    </PageFrame>
  );
}

function ResetAll({ project, count }: { project: string; count: number }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const reset = useMutation(
    trpc.threshold.reset.mutationOptions({ onSuccess: () => queries.invalidateQueries() }),
  );
  return (
    <span className="row">
      {reset.isError && <span className="bad-t">{describeError(reset.error).message}</span>}
      <Button loading={reset.isPending} onClick={() => reset.mutate({ project })}>
        Reset {count === 1 ? "the one" : `all ${count}`} changed
      </Button>
    </span>
  );
}
