import {
  expectedValues,
  instructionOf,
  type RepairTask,
  VISIBLE_ARGUMENTS,
} from "@liverl/contract/repair-task";

/** The task's repository as files: the broken source, its instruction and the visible check. */
export function repairFiles(task: RepairTask): Record<string, string> {
  return {
    [task.path]: sourceOf(task.lines),
    "instruction.md": `${instructionOf(task)}\n`,
    "check.js": visibleCheck(task),
  };
}

export const sourceOf = (lines: readonly string[]) => `${lines.join("\n")}\n`;

/** What the `test` tool checks, as a program that a reader can run by hand. */
function visibleCheck(task: RepairTask): string {
  const expected = expectedValues(task, VISIBLE_ARGUMENTS);
  const cases = task.functions.map((fn, i) => ({
    name: fn.name,
    cases: VISIBLE_ARGUMENTS.map((pair, j) => [...pair, expected[i]?.[j]]),
  }));
  return `// Run with: cat ${task.path} check.js | node
const checks = ${JSON.stringify(cases)};
for (const { name, cases } of checks) {
  for (const [a, b, expected] of cases) {
    const actual = eval(name)(a, b);
    if (actual !== expected) throw new Error(\`\${name}(\${a}, \${b}) is \${actual}, not \${expected}\`);
  }
}
`;
}
