import { TASK_MARKS, type TaskMark } from "#tasks/judge-task.ts";
import styles from "#tasks/tasks.module.css";
import { formatCount, formatPercent } from "#ui/format-number.ts";
import { Stat } from "#ui/stat.tsx";

const WORDS: Record<TaskMark, { label: string; below: string; why: string }> = {
  suspect: {
    label: "Suspect",
    below: "check for reward hacking",
    why: "Solved from one visit to the next, with integrity flags or with far fewer tokens",
  },
  learned: {
    label: "Learned",
    below: "from 0.25 or less to 0.75 or more",
    why: "First visits at 0.25 or below, the last ones at 0.75 or above",
  },
  forgotten: {
    label: "Forgotten",
    below: "fell by 0.5 or more",
    why: "Was at 0.75 or above, and fell by 0.5 or more",
  },
  flipped: {
    label: "Flipped",
    below: "by 0.5 or more, lately",
    why: "Changed by 0.5 or more in one of its last visits",
  },
  "never solved": {
    label: "Never solved",
    below: "in 8 rollouts or more",
    why: "No reward of 1 in 8 rollouts or more",
  },
};

/** How many tasks there are, and how many of each mark; a press shows those alone. */
export function TaskTiles({
  total,
  counts,
  mark,
  onMark,
}: {
  total: number;
  counts: Record<TaskMark, number>;
  /** The mark that is shown alone. */
  mark: TaskMark | null;
  onMark: (mark: TaskMark | null) => void;
}) {
  return (
    <section className={`panel stats ${styles.tiles}`} aria-label="Tasks by what became of them">
      <button type="button" aria-pressed={mark === null} onClick={() => onMark(null)}>
        <Stat label="Tasks seen" value={formatCount(total)} below="all of them" />
      </button>
      {TASK_MARKS.map((one) => {
        const { label, below, why } = WORDS[one];
        return (
          <button
            key={one}
            type="button"
            title={why}
            aria-pressed={mark === one}
            data-mark={counts[one] > 0 ? one : undefined}
            onClick={() => onMark(mark === one ? null : one)}
          >
            <Stat
              label={label}
              value={formatCount(counts[one])}
              unit={total > 0 && counts[one] > 0 ? formatPercent(counts[one] / total) : undefined}
              below={below}
            />
          </button>
        );
      })}
    </section>
  );
}
