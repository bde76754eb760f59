import { neighbourSteps } from "#steps/neighbour-steps.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { Link } from "#ui/link.tsx";

/** An address names a step that the run has not: says so, and leads to those that it has. */
export function UnknownStep({
  part,
  steps,
  mode,
  hrefOf,
}: {
  /** What the address says. */
  part: string;
  steps: readonly number[];
  mode: "train" | "eval";
  hrefOf: (step: number) => string;
}) {
  const first = Math.min(...steps);
  const last = Math.max(...steps);
  const { previous, next } = neighbourSteps(steps, /^\d+$/.test(part) ? Number(part) : Number.NaN);
  const offered = [...new Set([first, previous, next, last])]
    .filter((step) => step !== null)
    .sort((a, b) => a - b);
  const what = mode === "eval" ? "evaluation" : "step";
  const range = first === last ? `${first}` : `${first} to ${last}`;
  return (
    <EmptyState
      title={mode === "eval" ? `No evaluation at step ${part}` : `There is no step ${part}`}
      action={
        <nav className="row g8" aria-label="Steps that there are">
          {offered.map((step) => (
            <Link key={step} className="lnk" href={hrefOf(step)}>
              Step {step}
            </Link>
          ))}
        </nav>
      }
    >
      {steps.length === 1
        ? `The run has one ${what}, ${range}.`
        : `The run has ${steps.length} ${what}s, ${range}.`}
    </EmptyState>
  );
}
