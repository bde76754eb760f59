/**
 * Ends and signs that keep a rollout out of the update, as rollouts name them → as the spec does; null where the run
 * filters none.
 */
export type Drops = ReadonlyMap<string, string>;

/** Of a spec's trajectory filter. Pure. */
export function dropsOf({
  enable,
  drop_reasons,
}: {
  enable: boolean;
  drop_reasons: readonly string[];
}): Drops | null {
  return enable
    ? new Map(drop_reasons.map((reason) => [reason.replaceAll("_", "-"), reason]))
    : null;
}

/** What a trajectory filter may name of a rollout: its end, `integrity` for any sign, `integrity-KIND` for one. */
function reasonsOf(termination: string | null, integrityKinds: readonly string[]): string[] {
  return [
    ...(termination === null ? [] : [termination]),
    ...(integrityKinds.length > 0 ? ["integrity"] : []),
    ...integrityKinds.map((kind) => `integrity-${kind}`),
  ];
}

/** The filter's first word for a rollout; null where it keeps it. Pure. */
export function whyFiltered(
  {
    termination,
    integrityKinds,
  }: { termination: string | null; integrityKinds: readonly string[] },
  dropped: Drops | null,
): string | null {
  const named = reasonsOf(termination, integrityKinds).find((reason) => dropped?.has(reason));
  return named === undefined ? null : (dropped?.get(named) ?? named);
}
