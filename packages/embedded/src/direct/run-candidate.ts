import { createContext, runInContext } from "node:vm";
import { expectedValues, type RepairTask } from "@liverl/contract/repair-task";

/**
 * Index of the first function that is wrong on `argumentList`, or null when all are right. Executes the lines in a
 * context of this process: for the direct loop, whose code comes from the embedded policy alone. No sandbox.
 */
export function firstWrongFunction(
  task: RepairTask,
  lines: readonly string[],
  argumentList: readonly (readonly [number, number])[],
): number | null {
  const expected = expectedValues(task, argumentList);
  const calls = task.functions.map(
    (fn) => `${JSON.stringify(argumentList)}.map(([x, y]) => ${fn.name}(x, y))`,
  );
  let outputs: unknown;
  try {
    const context = createContext({});
    outputs = JSON.parse(
      String(
        runInContext(`${lines.join("\n")}\nJSON.stringify([${calls.join(",")}])`, context, {
          timeout: 100,
        }),
      ),
    );
  } catch {
    // Whatever the candidate threw, its code is wrong; the message of the check does not depend on how.
    return 0;
  }
  const wrong = expected.findIndex(
    (row, i) => JSON.stringify(row) !== JSON.stringify(Array.isArray(outputs) ? outputs[i] : null),
  );
  return wrong === -1 ? null : wrong;
}
