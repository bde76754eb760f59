import type { MemoryPart, VerlPlan } from "@liverl/contract/launch";
import styles from "#launch/launch.module.css";

/** Shades of a pool's colour, strongest first: one a part. */
const SHADES = [100, 72, 50, 34, 20];
const COLORS = { trainer: "var(--c6)", rollout: "var(--c1)" } as const;
/** GPU cells of a node; a larger cluster is told in words. */
const MOST_NODES = 8;

/** What a GPU of each pool holds at its peak, and which GPU does what. */
export function VerlMemorySection({ plan }: { plan: VerlPlan }) {
  const { memory, pools } = plan;
  const nodes = pools.trainer.nodes + (pools.rollout?.nodes ?? 0);
  return (
    <section aria-label="Memory">
      <h2>
        {memory === null ? "GPUs" : "Memory per GPU"}
        <span className="end i3 f12">
          {memory === null
            ? "the model is not known here"
            : `estimate${memory.gpuMb === null ? "" : `, of ${Math.round(memory.gpuMb / 1000)} GB`}`}
        </span>
      </h2>
      {memory && (
        <>
          <Bar label="Train" parts={memory.trainer} pool="trainer" gpuMb={memory.gpuMb} />
          <Bar label="Rollout" parts={memory.rollout} pool="rollout" gpuMb={memory.gpuMb} />
          <p className={styles.legend}>
            {[
              ...memory.trainer.map((part, i) => ({ ...part, pool: "trainer" as const, i })),
              ...memory.rollout.map((part, i) => ({ ...part, pool: "rollout" as const, i })),
            ]
              .filter(({ mb }) => mb > 0)
              .map(({ label, pool, i }) => (
                <span key={`${pool} ${label}`}>
                  <i style={{ background: shade(pool, i) }} />
                  {label}
                </span>
              ))}
          </p>
        </>
      )}
      {nodes <= MOST_NODES && (
        <div className={styles.gpus}>
          <GpuRows pool="trainer" {...pools.trainer} from={1} isShared={pools.rollout === null} />
          {pools.rollout && (
            <GpuRows pool="rollout" {...pools.rollout} from={pools.trainer.nodes + 1} />
          )}
        </div>
      )}
    </section>
  );
}

const shade = (pool: keyof typeof COLORS, i: number) =>
  `color-mix(in srgb, ${COLORS[pool]} ${SHADES[Math.min(i, SHADES.length - 1)]}%, var(--surface))`;

function Bar({
  label,
  parts,
  pool,
  gpuMb,
}: {
  label: string;
  parts: readonly MemoryPart[];
  pool: keyof typeof COLORS;
  gpuMb: number | null;
}) {
  const total = parts.reduce((sum, { mb }) => sum + mb, 0);
  const full = Math.max(gpuMb ?? total, total, 1);
  const isOver = gpuMb !== null && total > gpuMb;
  return (
    <div className={styles.memory}>
      <span>{label}</span>
      <i>
        {parts.map(({ label: name, mb }, i) => (
          <b
            key={name}
            title={`${name}, ${gigabytes(mb)}`}
            style={{ width: `${(mb / full) * 100}%`, background: shade(pool, i) }}
          />
        ))}
      </i>
      <span className={isOver ? "r bad-t" : "r"}>
        {gigabytes(total)}
        {gpuMb !== null && ` · ${Math.round((total / gpuMb) * 100)} %`}
      </span>
    </div>
  );
}

function GpuRows({
  pool,
  nodes,
  gpusPerNode,
  from,
  isShared = false,
}: {
  pool: keyof typeof COLORS;
  nodes: number;
  gpusPerNode: number;
  from: number;
  isShared?: boolean;
}) {
  const does = isShared ? "trains and rolls out" : pool === "trainer" ? "trains" : "rolls out";
  const mark = isShared ? "T R" : pool === "trainer" ? "T" : "R";
  return count(nodes, from).map((node) => (
    <div key={node} className={styles.gpuRow}>
      <span>node {node}</span>
      <div style={{ gridTemplateColumns: `repeat(${Math.max(gpusPerNode, 8)}, 1fr)` }}>
        {count(gpusPerNode, 0).map((gpu) => (
          <i
            key={gpu}
            title={`GPU ${gpu} ${does}`}
            style={{ background: `color-mix(in srgb, ${COLORS[pool]} 26%, var(--surface))` }}
          >
            {mark}
          </i>
        ))}
      </div>
    </div>
  ));
}

const count = (length: number, from: number) => Array.from({ length }, (_, i) => from + i);
const gigabytes = (mb: number) => `${(mb / 1000).toFixed(mb < 10_000 ? 1 : 0)} GB`;
