import { describeFinding, earlierFindings, type Verdict } from "@liverl/contract/run";

/** A verdict on a screen: what was found, over which steps, and why. */
export function describeVerdict(verdict: Verdict): string[] {
  const { word, sentence, progress, stability, performance, failures } = verdict;
  const axes = { progress, stability, performance, failures };
  const [first, last] = verdict.steps ?? [];
  return [
    `${word}: ${sentence}`,
    Object.entries(axes)
      .map(([axis, health]) => `${axis} ${health}`)
      .join(", "),
    ...(first === undefined ? [] : [`over steps ${first} to ${last}`]),
    ...verdict.advisories.map(({ level, title, detail }) => `${level}: ${title}. ${detail}`),
    ...describeEarlier(verdict),
    ...verdict.start.map(({ label, status, detail }) => `start, ${status}: ${label}. ${detail}`),
  ];
}

/** Signs that were there before, newest first. */
export function describeEarlier(verdict: Verdict): string[] {
  const earlier = earlierFindings(verdict);
  return earlier.length === 0
    ? []
    : [
        `earlier findings: ${earlier.length}`,
        ...earlier.map((one) => `  ${one.level}: ${describeFinding(one)}. ${one.detail}`),
      ];
}
