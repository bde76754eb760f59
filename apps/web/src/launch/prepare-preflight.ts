import type { PreflightItem } from "@liverl/contract/launch";

export interface Preflight {
  /** Fails, then warnings. */
  open: PreflightItem[];
  passed: PreflightItem[];
  counts: { fail: number; warn: number; pass: number };
}

export function preparePreflight(items: readonly PreflightItem[]): Preflight {
  const of = (status: PreflightItem["status"]) => items.filter((item) => item.status === status);
  const [fails, warnings, passed] = [of("fail"), of("warn"), of("pass")];
  return {
    open: [...fails, ...warnings],
    passed,
    counts: { fail: fails.length, warn: warnings.length, pass: passed.length },
  };
}

/** Field path → what is wrong with it: faults of shape first, then failed and doubtful checks. */
export function prepareFieldFaults(
  faults: readonly { path: string; message: string }[],
  items: readonly PreflightItem[],
): Map<string, { level: "fail" | "warn"; message: string }> {
  const byField = new Map<string, { level: "fail" | "warn"; message: string }>();
  for (const fault of faults)
    if (!byField.has(fault.path))
      byField.set(fault.path, { level: "fail", message: fault.message });
  for (const level of ["fail", "warn"] as const) {
    for (const item of items) {
      if (item.status === level && item.field !== null && !byField.has(item.field))
        byField.set(item.field, { level, message: item.title });
    }
  }
  return byField;
}
