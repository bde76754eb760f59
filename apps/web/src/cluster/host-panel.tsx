import type { ClusterView } from "@liverl/contract/cluster";
import styles from "#cluster/cluster.module.css";
import { formatBytes } from "#ui/format-number.ts";
import { Panel } from "#ui/panel.tsx";
import { When } from "#ui/when.tsx";

/** What LiveRL started on this machine. */
export function HostPanel({ host, processes }: Pick<ClusterView, "host" | "processes">) {
  return (
    <Panel
      title="Processes"
      note={`load ${host.load.toFixed(1)} · memory ${formatBytes(host.memoryUsed)} of ${formatBytes(host.memoryTotal)} · disk ${formatBytes(host.diskFree)} free of ${formatBytes(host.diskTotal)}`}
    >
      <div className={styles.scroll}>
        <table className={styles.table} aria-label="Processes">
          <thead>
            <tr>
              <th>Process</th>
              <th className="r">pid</th>
              <th className="r">Memory</th>
              <th className="r">Since</th>
            </tr>
          </thead>
          <tbody>
            {processes.map(({ name, pid, memory, startedAt }) => (
              <tr key={name}>
                <td className="m">{name}</td>
                <td className="r">{pid}</td>
                <td className="r">{memory === null ? "—" : formatBytes(memory)}</td>
                <td className="r i3">
                  <When at={startedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
