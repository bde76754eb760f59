/** Whether a parsed value nests deeper: level by level, since recursion would end where this is to warn. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((inner) =>
      typeof inner === "object" && inner !== null ? Object.values(inner) : [],
    );
  }
  return false;
}
