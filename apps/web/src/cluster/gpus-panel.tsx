import type { ClusterView, GpuLane } from "@liverl/contract/cluster";
import styles from "#cluster/cluster.module.css";
import { KnownNote } from "#cluster/known-note.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { Meter } from "#ui/meter.tsx";
import { Panel } from "#ui/panel.tsx";

const HOT = 85;
const gigabytes = (mebibytes: number) => `${(mebibytes / 1024).toFixed(0)} GB`;

/** A lane a GPU, newest at the right; what nobody watched is blank. */
export function GpusPanel({ known }: { known: ClusterView["gpus"] }) {
  const lanes = known.value?.lanes ?? [];
  const hosts = [...new Set(lanes.map(({ host }) => host))];
  return (
    <Panel
      title={hosts.some((host) => host !== null) ? "GPUs" : "GPUs of this machine"}
      note="15 min, while watched"
    >
      <KnownNote at={known.at} fault={known.fault} />
      {known.value?.warning && (
        <p className="note warn" role="status">
          {known.value.warning}
        </p>
      )}
      {known.value === null ? null : lanes.length === 0 ? (
        <EmptyState title="No GPU on this machine">
          nvidia-smi lists none. Those of a Ray cluster are shown with its nodes; those of other
          hosts with <code>LIVERL_DCGM_URLS</code>.
        </EmptyState>
      ) : (
        hosts.map((host) => (
          <div key={host} className={styles.lanes}>
            {host !== null && <h3 className="i2">{host}</h3>}
            {lanes
              .filter((gpu) => gpu.host === host)
              .map((gpu) => (
                <Lane key={gpu.index} gpu={gpu} />
              ))}
          </div>
        ))
      )}
    </Panel>
  );
}

function Lane({ gpu }: { gpu: GpuLane }) {
  const share =
    gpu.memoryUsed !== null && gpu.memoryTotal ? gpu.memoryUsed / gpu.memoryTotal : null;
  const marks = gpu.history.flatMap((value, place) => (value === null ? [] : [{ place, value }]));
  return (
    <div className={styles.lane} title={gpu.name}>
      <span>GPU {gpu.index}</span>
      <span className="r">{gpu.utilisation === null ? "—" : `${gpu.utilisation} %`}</span>
      <svg
        className={styles.strip}
        viewBox={`0 0 ${gpu.history.length} 1`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {marks.map(({ place, value }) => (
          <rect key={place} x={place} width={1} height={1} opacity={0.1 + (0.9 * value) / 100} />
        ))}
      </svg>
      <span className="row">
        {share !== null && <Meter share={share} width={48} color="var(--c4)" />}
        {gpu.memoryUsed === null ? "—" : gigabytes(gpu.memoryUsed)}
      </span>
      <span className={`r ${styles.wide} ${(gpu.temperature ?? 0) >= HOT ? "warn-t" : "i2"}`}>
        {gpu.temperature === null ? "—" : `${gpu.temperature} °C`}
      </span>
      <span className={`r i2 ${styles.wide}`}>
        {gpu.power === null ? "—" : `${Math.round(gpu.power)} W`}
      </span>
      <span className={`bad-t ${styles.faults}`}>{faultsOf(gpu)}</span>
    </div>
  );
}

function faultsOf({ xid, uncorrected }: GpuLane): string {
  return [
    ...(xid === null ? [] : [`Xid ${xid}`]),
    ...(uncorrected ? [`${uncorrected} ECC errors`] : []),
  ].join(" · ");
}
