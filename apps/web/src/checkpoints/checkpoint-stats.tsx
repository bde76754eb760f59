import type { CheckpointStats as Stats } from "#checkpoints/prepare-stats.ts";
import { formatDuration } from "#ui/format-duration.ts";
import { formatBytes, formatPercent } from "#ui/format-number.ts";
import { Stat } from "#ui/stat.tsx";

const NOTHING = "\u00a0";

export function CheckpointStats({ stats, freeBytes }: { stats: Stats; freeBytes: number }) {
  const { best, last } = stats;
  return (
    <section className="panel stats" aria-label="Checkpoints in numbers">
      <Stat
        label="On disk"
        value={stats.onDisk}
        unit={`of ${stats.total}`}
        below={formatBytes(stats.diskBytes)}
      />
      <Stat
        label="Best by held-out reward"
        value={best === null ? "—" : `step ${best.step}`}
        below={best === null ? "no evaluation yet" : formatPercent(best.heldOutReward)}
      />
      <Stat
        label="Last"
        value={last === null ? "—" : `step ${last.step}`}
        below={last?.seconds == null ? NOTHING : `written in ${formatDuration(last.seconds)}`}
      />
      <Stat
        label="Free on disk"
        value={formatBytes(freeBytes)}
        below={<MoreFit count={stats.moreFit} />}
      />
    </section>
  );
}

function MoreFit({ count }: { count: number | null }) {
  if (count === null) return NOTHING;
  if (count > 999) return "room for many more";
  return <span className={count < 5 ? "warn-t" : undefined}>{count} more fit</span>;
}
