"use client";
import type { ClusterView } from "@liverl/contract/cluster";
import { useQuery } from "@tanstack/react-query";
import styles from "#cluster/cluster.module.css";
import { EnginesPanel } from "#cluster/engines-panel.tsx";
import { GpusPanel } from "#cluster/gpus-panel.tsx";
import { HostPanel } from "#cluster/host-panel.tsx";
import { isGoneEngine } from "#cluster/is-gone-engine.ts";
import { RayPanel } from "#cluster/ray-panel.tsx";
import { PageFrame } from "#shell/page-frame.tsx";
import { useTRPC } from "#trpc/client.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const REFRESH_MS = 2_500;

/** Engines, GPUs, Ray and the processes of this LiveRL. Nothing of it is asked while nobody looks. */
export function ClusterPage() {
  const query = useQuery(
    useTRPC().cluster.get.queryOptions(undefined, { refetchInterval: REFRESH_MS }),
  );
  return (
    <PageFrame nav="cluster" crumbs={[{ label: "Cluster" }]}>
      <div className={styles.page}>
        <header className={styles.title}>
          <h1>Cluster</h1>
          {query.data && <span className="i2">{summary(query.data)}</span>}
        </header>
        {query.data ? (
          <>
            {query.isError && (
              <p className="note warn" role="status">
                LiveRL does not answer now: this is from before.
              </p>
            )}
            <OpenRays rays={query.data.rays} />
            <EnginesPanel known={query.data.engines} runs={query.data.runs} />
            <GpusPanel known={query.data.gpus} />
            {query.data.rays.map((ray) => (
              <RayPanel key={`${ray.address} ${ray.runs[0]?.id}`} ray={ray} />
            ))}
            <HostPanel host={query.data.host} processes={query.data.processes} />
          </>
        ) : query.isError ? (
          <ErrorState
            what="The cluster could not be read"
            error={query.error}
            onRetry={() => void query.refetch()}
            stillWorks="Runs go on."
          />
        ) : (
          <SkeletonRows rows={10} />
        )}
      </div>
    </PageFrame>
  );
}

function summary({ engines, gpus, rays, runs }: ClusterView): string {
  const count = (number: number, one: string) => `${number} ${one}${number === 1 ? "" : "s"}`;
  const nodes = rays.reduce((sum, { value }) => sum + (value?.nodes.length ?? 0), 0);
  return [
    count((engines.value ?? []).filter((one) => !isGoneEngine(one, runs)).length, "engine"),
    count(gpus.value?.lanes.length ?? 0, "GPU"),
    ...(rays.length > 0 ? [`${count(nodes, "Ray node")}`] : []),
  ].join(" · ");
}

/** Ray's dashboard runs what it is sent: without a token that is anybody's code. */
function OpenRays({ rays }: Pick<ClusterView, "rays">) {
  return rays
    .filter(({ value }) => value?.isOpen)
    .map(({ address }) => (
      <div key={address} className={styles.banner} role="alert">
        <b>Ray at {address} asks nobody for a token.</b> Whoever reaches this port runs code on the
        cluster. Start Ray with <code>RAY_AUTH_MODE=token</code> and give the run the token's file.
      </div>
    ));
}
