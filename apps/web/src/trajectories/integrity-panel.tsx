import type { IntegrityFlag, IntegrityKind } from "@liverl/contract/rollout";
import type { TrajectoryView } from "@liverl/contract/views";
import { compareWithSibling } from "#trajectories/compare-with-sibling.ts";
import own from "#trajectories/verifier.module.css";
import { Link } from "#ui/link.tsx";
import { Panel } from "#ui/panel.tsx";
import { StatusWord } from "#ui/status-word.tsx";

const WORDS: Record<IntegrityKind, { title: string; means: string }> = {
  "reward-planted": {
    title: "Reward or tests planted",
    means: "They were there before the verifier came, and were removed.",
  },
  "tools-changed": {
    title: "Tools of the tests changed",
    means: "The tests may have run other programs than the image's.",
  },
  "packages-installed": {
    title: "Packages installed",
    means: "The image did not have them, and the tests may load them.",
  },
  "system-changed": {
    title: "System files changed",
    means: "Outside of the task's folder, where the tests may look.",
  },
  "tests-edited": {
    title: "Tests edited",
    means: "The verifier has its own; honest work may still add to these.",
  },
  "special-cased": {
    title: "Special case for tests",
    means:
      "The patch knows values of the hidden tests, asks whether it is tested, or leaves before it is.",
  },
  "patch-missing": {
    title: "Patch not to be had",
    means: "The repository that the agent was given no longer tells what it changed.",
  },
  "sandbox-ended": {
    title: "Ended its sandbox",
    means: "The agent, or what it left running, ended it. Its work may be cut off.",
  },
  "changes-unknown": {
    title: "Changes unknown",
    means: "So many files are changed that nobody could look at them.",
  },
  "tests-missing": {
    title: "Tests did not run",
    means: "They ran when the oracle solved the task, and are not in this trial's report.",
  },
  "network-used": {
    title: "Network used",
    means: "The task allows it; the solution may be out there.",
  },
  "operator-shell": {
    title: "Shell of an operator",
    means: "Somebody could type in its sandbox: what it left may not be the agent's alone.",
  },
};

/** Signs that a reward was not earned, each with its evidence, and who of the group has none. */
export function IntegrityPanel({
  flags,
  view,
  hrefOf,
}: {
  flags: readonly IntegrityFlag[];
  view: Pick<TrajectoryView, "rollout" | "honestSibling">;
  hrefOf: (rolloutId: string) => string;
}) {
  const { honestSibling, rollout } = view;
  return (
    <Panel title="Integrity" note="signs, not proofs: the reward is as the verifier gave it">
      <ul className={own.flags}>
        {flags.map(({ kind, evidence }) => (
          <li key={kind}>
            <StatusWord kind="warn">{WORDS[kind].title}</StatusWord>
            <span className="i2">{WORDS[kind].means}</span>
            <ul>
              {evidence.map((line) => (
                <li key={line} className="m">
                  {line}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      <p className={own.contrast}>
        {honestSibling === null ? (
          <span className="i2">
            No rollout of its group has a reward and no sign to compare with.
          </span>
        ) : (
          <>
            <Link className="lnk" href={hrefOf(honestSibling.rolloutId)}>
              Rollout {honestSibling.index + 1}
            </Link>{" "}
            <span className="i2">
              of its group has no sign: {compareWithSibling(rollout.reward, honestSibling)}
            </span>
          </>
        )}
      </p>
    </Panel>
  );
}
