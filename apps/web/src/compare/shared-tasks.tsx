import type { SharedTask } from "@liverl/contract/shared-tasks";
import { useState } from "react";
import styles from "#compare/compare.module.css";
import { formatNumber, formatSigned } from "#ui/format-number.ts";
import { SearchBox } from "#ui/search-box.tsx";

const SHOWN = 50;

/** Tasks of two runs with what each earned there, the largest differences first. */
export function SharedTasks({
  tasks,
  chosen,
  names,
  onChoose,
}: {
  tasks: readonly SharedTask[];
  chosen: string | null;
  names: { a: string; b: string };
  onChoose: (task: string) => void;
}) {
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const found = tasks.filter(({ task }) => task.toLowerCase().includes(wanted));
  return (
    <>
      {tasks.length > SHOWN && (
        <div className={styles.find}>
          <SearchBox label="Find a task" value={search} onChange={setSearch} width={220} />
          {found.length > SHOWN && (
            <span className="f12 i3">
              the {SHOWN} that differ most, of {found.length}
            </span>
          )}
        </div>
      )}
      <div className={`${styles.scroll} scroll`}>
        <table className="t" aria-label="Tasks that both tried">
          <thead>
            <tr>
              <th scope="col">Task</th>
              <th scope="col" className="num" title={`Mean reward of ${names.a}`}>
                A
              </th>
              <th scope="col" className="num" title={`Mean reward of ${names.b}`}>
                B
              </th>
              <th scope="col" className="num" title="B less A">
                Difference
              </th>
              <th scope="col" className="num" title="Rollouts of A and of B">
                Rollouts
              </th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, SHOWN).map(({ task, a, b, difference }) => (
              <tr key={task} className={task === chosen ? "sel" : ""}>
                <td>
                  <button
                    type="button"
                    className="lnk m"
                    aria-pressed={task === chosen}
                    onClick={() => onChoose(task)}
                  >
                    {task}
                  </button>
                </td>
                <td className="num">{formatNumber(a.mean)}</td>
                <td className="num">{formatNumber(b.mean)}</td>
                <td className="num">{formatSigned(difference)}</td>
                <td className="num i2">
                  {a.rollouts} · {b.rollouts}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
