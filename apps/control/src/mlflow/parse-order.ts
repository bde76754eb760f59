import type { MlflowRun } from "#mlflow/build-run.ts";
import { parseField } from "#mlflow/run-field.ts";

/** How `order_by` sorts: `["metrics.loss DESC", "start_time"]`. Runs without the value come last; the newest come first among equals. */
export function parseOrder(orders: readonly string[]): (a: MlflowRun, b: MlflowRun) => number {
  const keys = orders.map((order) => {
    const text = order.trim();
    const direction = /\s(ASC|DESC)$/i.exec(text)?.[1] ?? "";
    const { field } = parseField(text.slice(0, text.length - direction.length).trim());
    return { field, sign: direction.toUpperCase() === "DESC" ? -1 : 1 };
  });
  return (a, b) => {
    for (const { field, sign } of keys) {
      const [x, y] = [field(a), field(b)];
      if (x === y) continue;
      if (x === undefined || Number.isNaN(x)) return 1;
      if (y === undefined || Number.isNaN(y)) return -1;
      return x < y ? -sign : sign;
    }
    return b.info.start_time - a.info.start_time || (a.info.run_id < b.info.run_id ? -1 : 1);
  };
}
