import type { RunDetail } from "@liverl/contract/run";
import { prepareCost } from "#overview/prepare-cost.ts";
import { settingsHref } from "#shell/links.ts";
import { Link } from "#ui/link.tsx";
import { Panel } from "#ui/panel.tsx";
import { Stat } from "#ui/stat.tsx";

/** What the run has used up to now; nothing for a run whose devices are not known. */
export function CostPanel({ run }: { run: RunDetail }) {
  const { cost } = run;
  if (cost === null) return null;
  return (
    <Panel
      title="Cost"
      note="up to now"
      right={
        cost.money === null && (
          <Link className="lnk f12" href={`${settingsHref(run.project)}#prices`}>
            Set a price
          </Link>
        )
      }
    >
      <div className="stats">
        {prepareCost(cost).map((fact) => (
          <Stat key={fact.label} {...fact} />
        ))}
      </div>
    </Panel>
  );
}
