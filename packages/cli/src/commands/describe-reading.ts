import type { EnvironmentReading } from "@liverl/contract/launch";

/** What a launch script leaves open or out: choices with their options, then notes by line. */
export function describeReading(reading: EnvironmentReading): string[] {
  const { command, values, choices, unknowns, notes } = reading;
  const lines: string[] = [];
  const at = (line: number | null) => (line === null ? "" : `line ${line}: `);
  if (command) lines.push(`${at(command.line)}${command.program}, ${values.length} values taken`);
  for (const { id, line, condition, options, taken, isChosen } of choices) {
    lines.push(`${at(line)}${condition}${isChosen ? "" : " is not known here"}`);
    for (const [i, { label, stops, changes }] of options.entries()) {
      const how = i === taken ? "taken" : stops ? "ends the script" : `--choose ${id}=${i + 1}`;
      const changed = changes.map(({ path, value }) => `${path}=${JSON.stringify(value ?? null)}`);
      const more = changed.length > 5 ? `, and ${changed.length - 5} more` : "";
      const said = changed.length > 0 ? `: ${changed.slice(0, 5).join(", ")}${more}` : "";
      lines.push(`  ${i + 1}. ${label} (${how})${said}`);
    }
  }
  for (const { name, line, keys } of unknowns)
    lines.push(`${at(line)}${name} is not known here: --var ${name}=… sets ${keys.join(", ")}`);
  for (const { name, line, message, isMinor, choice } of notes)
    if (!isMinor && choice === null) lines.push(`${at(line)}${name}: ${message}`);
  const minor = notes.filter(({ isMinor }) => isMinor);
  if (minor.length > 0) {
    const named = [...new Set(minor.map(({ name }) => name))];
    const more = named.length > 8 ? ` and ${named.length - 8} more` : "";
    lines.push(
      `${minor.length} values not used: ${named.slice(0, 8).join(", ")}${more} (liverl api launch.readEnvironment lists them)`,
    );
  }
  return lines;
}
