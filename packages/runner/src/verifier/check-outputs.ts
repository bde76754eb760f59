import type { Output } from "#verifier/code-pool.ts";

/** Same type and same value; a number that only looks like the boolean, or -0 for 0, does not count. */
export function isExpected(output: Output | undefined, expected: number | boolean): boolean {
  if (!output || (output.type !== "number" && output.type !== "boolean")) return false;
  return Object.is(output.value, expected);
}

/** Index of the first function with a wrong output; null when all are right. */
export function firstWrongFunction(
  outputs: readonly Output[][],
  expected: readonly (number | boolean)[][],
): number | null {
  const wrong = expected.findIndex(
    (row, i) => !row.every((value, j) => isExpected(outputs[i]?.[j], value)),
  );
  return wrong < 0 ? null : wrong;
}

export function showOutput(output: Output | undefined): string {
  if (!output) return "nothing";
  if (output.type === "threw") return "an exception";
  return output.type === "other" ? `a value of type ${output.name}` : String(output.value);
}
