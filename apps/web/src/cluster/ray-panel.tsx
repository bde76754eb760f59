import type { ClusterView, RayView } from "@liverl/contract/cluster";
import styles from "#cluster/cluster.module.css";
import { KnownNote } from "#cluster/known-note.tsx";
import { RayActors } from "#cluster/ray-actors.tsx";
import { runHref } from "#shell/links.ts";
import { formatBytes } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";
import { Meter } from "#ui/meter.tsx";
import { Panel } from "#ui/panel.tsx";
import { StatusWord } from "#ui/status-word.tsx";

/** One Ray cluster of a run that goes on: nodes, placement groups, actors. */
export function RayPanel({ ray }: { ray: ClusterView["rays"][number] }) {
  return (
    <Panel
      label={`Ray at ${ray.address}`}
      title={
        <>
          Ray {ray.value?.version} <span className="m i2">{ray.address}</span>
        </>
      }
      right={ray.runs.map(({ id, name, project }) => (
        <Link key={id} href={runHref(project, id)} className="acc-t">
          {name}
        </Link>
      ))}
    >
      <KnownNote at={ray.at} fault={ray.fault} />
      {ray.value?.warning && <p className="note warn">{ray.value.warning}</p>}
      {ray.value && (
        <>
          <Nodes nodes={ray.value.nodes} />
          <Groups groups={ray.value.groups} />
          <RayActors actors={ray.value.actors} total={ray.value.actorCount} />
        </>
      )}
    </Panel>
  );
}

function Nodes({ nodes }: Pick<RayView, "nodes">) {
  return (
    <div className={styles.scroll}>
      <table className={styles.table} aria-label="Nodes">
        <thead>
          <tr>
            <th>Node</th>
            <th>State</th>
            <th className="r">CPU</th>
            <th>Memory</th>
            <th className={styles.wide}>Object store</th>
            <th>GPUs</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <tr key={node.id}>
              <td className="m">
                {node.host} {node.isHead && <span className="tag">head</span>}
              </td>
              <td title={node.message ?? undefined}>
                <StatusWord kind={node.isAlive ? "ok" : "bad"}>
                  {node.isAlive ? "alive" : "dead"}
                </StatusWord>
              </td>
              <td className="r">{node.cpu === null ? "—" : `${Math.round(node.cpu)} %`}</td>
              <td>
                <Used used={node.memoryUsed} total={node.memoryTotal} />
              </td>
              <td className={styles.wide}>
                <Used used={node.objectStoreUsed} total={node.objectStoreTotal} />
              </td>
              <td>
                {node.gpus.length === 0
                  ? "none"
                  : node.gpus.map(({ index, name, utilisation }) => (
                      <span key={index} className={styles.gpu} title={name ?? undefined}>
                        {utilisation === null ? "—" : `${utilisation} %`}
                      </span>
                    ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Used({ used, total }: { used: number | null; total: number | null }) {
  if (used === null || !total) return "—";
  return (
    <span className="row">
      <Meter share={used / total} width={44} />
      <span className="nowrap">
        {formatBytes(used)} <span className="i3">of {formatBytes(total)}</span>
      </span>
    </span>
  );
}

function Groups({ groups }: Pick<RayView, "groups">) {
  const shown = groups.filter(({ state }) => state !== "REMOVED");
  if (shown.length === 0) return null;
  return (
    <div className={styles.scroll}>
      <table className={styles.table} aria-label="Placement groups">
        <thead>
          <tr>
            <th>Placement group</th>
            <th>State</th>
            <th>Bundles</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((group) => (
            <tr key={group.id}>
              <td className="m trunc">{group.name ?? group.id.slice(0, 12)}</td>
              <td>
                <StatusWord
                  kind={group.state === "CREATED" ? "ok" : "warn"}
                  title={group.waitsFor ?? undefined}
                >
                  {group.state.toLowerCase()}
                  {group.waitsFor !== null && `: ${group.waitsFor.toLowerCase()}`}
                </StatusWord>
              </td>
              <td>{group.bundles.join(" + ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
