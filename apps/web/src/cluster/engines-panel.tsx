import type { ClusterView, EngineView } from "@liverl/contract/cluster";
import styles from "#cluster/cluster.module.css";
import { isGoneEngine } from "#cluster/is-gone-engine.ts";
import { KnownNote } from "#cluster/known-note.tsx";
import { runHref } from "#shell/links.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { formatCount, formatPercent } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";
import { Meter } from "#ui/meter.tsx";
import { Panel } from "#ui/panel.tsx";
import { StatusWord } from "#ui/status-word.tsx";

/** Above this vLLM preempts and computes again. */
const KV_WARN = 0.9;
const HEADS = [
  "Engine",
  "Run",
  "State",
  "#Version",
  "#Running",
  "#Waiting",
  "KV cache",
  "#Prefix hit",
  "#Tokens/s",
];
const WIDE = new Set(["Run", "#Version", "#Prefix hit", "#Waiting"]);

export function EnginesPanel({
  known,
  runs,
}: {
  known: ClusterView["engines"];
  runs: ClusterView["runs"];
}) {
  const engines = known.value ?? [];
  const newest = new Map<string, number>();
  for (const { poolId, weightVersion } of engines)
    newest.set(poolId, Math.max(newest.get(poolId) ?? 0, weightVersion ?? 0));
  return (
    <Panel title="Engines">
      <KnownNote at={known.at} fault={known.fault} />
      {known.value === null ? null : engines.length === 0 ? (
        <EmptyState title="No engine serves now">They come with a run, and go with it.</EmptyState>
      ) : (
        <div className={styles.scroll}>
          <table className={styles.table}>
            <thead>
              <tr>
                {HEADS.map((head) => (
                  <th key={head} className={classOf(head)}>
                    {head.replace("#", "")}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {engines.map((engine) => (
                <Row
                  key={`${engine.poolId} ${engine.url}`}
                  engine={engine}
                  run={runs.find(({ id }) => id === engine.poolId)}
                  isGone={isGoneEngine(engine, runs)}
                  behind={(newest.get(engine.poolId) ?? 0) - (engine.weightVersion ?? 0)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

const classOf = (head: string) =>
  `${head.startsWith("#") ? "r" : ""} ${WIDE.has(head) ? styles.wide : ""}`;
const told = (value: number | null) => (value === null ? "—" : formatCount(value));

function Row({
  engine,
  run,
  isGone,
  behind,
}: {
  engine: EngineView;
  run: ClusterView["runs"][number] | undefined;
  isGone: boolean;
  behind: number;
}) {
  const isFull = (engine.kvUse ?? 0) > KV_WARN;
  return (
    <tr>
      <td>
        <span className="m" title={engine.modelName}>
          {engine.url.replace(/^https?:\/\//, "")}
        </span>
      </td>
      <td className={styles.wide}>
        {run ? (
          <Link href={runHref(run.project, run.id)} className="acc-t">
            {run.name}
          </Link>
        ) : (
          engine.poolId
        )}
      </td>
      <td>
        <State engine={engine} isGone={isGone} />
      </td>
      <td className={`r ${styles.wide}`}>
        {engine.weightVersion === null ? "—" : `v${engine.weightVersion}`}
        {engine.weightVersion !== null && behind > 0 && (
          <span className="warn-t" title="Behind the newest weights of its pool">
            {` −${behind}`}
          </span>
        )}
      </td>
      {/* Engines inside a trainer tell nothing themselves: what the proxy has there is what runs. */}
      <td className="r" title={engine.running === null ? "Requests of the proxy" : undefined}>
        {told(engine.running ?? engine.inFlight)}
        {engine.capacity !== null && <span className="i3">{` / ${engine.capacity}`}</span>}
      </td>
      <td className={`r ${styles.wide} ${(engine.waiting ?? 0) > 0 ? "warn-t" : ""}`}>
        {told(engine.waiting)}
      </td>
      <td>
        {engine.kvUse === null ? (
          "—"
        ) : (
          <span className="row">
            <Meter share={engine.kvUse} width={52} color={isFull ? "var(--warn)" : undefined} />
            <span className={isFull ? "warn-t" : ""}>{formatPercent(engine.kvUse)}</span>
          </span>
        )}
      </td>
      <td className={`r ${styles.wide}`}>
        {engine.prefixHitRate === null ? "—" : formatPercent(engine.prefixHitRate)}
      </td>
      <td className="r">
        {engine.tokensPerS === null ? "—" : formatCount(Math.round(engine.tokensPerS))}
      </td>
    </tr>
  );
}

function State({ engine, isGone }: { engine: EngineView; isGone: boolean }) {
  if (engine.state === "up") return <StatusWord kind="ok">up</StatusWord>;
  if (engine.state === "draining") return <StatusWord kind="warn">draining</StatusWord>;
  if (isGone) return <StatusWord kind="off">ended</StatusWord>;
  return <StatusWord kind="bad">away</StatusWord>;
}
