const LABEL_CHARACTERS = 48;

/** Whether a tool's answer reports a fault. */
export function looksFailed(text: string): boolean {
  return /^(ERROR|FAIL|Traceback|fatal:)|\bexit(ed)? (code )?[1-9]\d*\b|^\w*Error:/m.test(text);
}

/** The argument that tells most about a call, on one line. */
export function callSummary(argumentsText: string): string {
  let values: unknown;
  try {
    values = JSON.parse(argumentsText);
  } catch {
    return firstWords(argumentsText);
  }
  if (typeof values !== "object" || values === null) return firstWords(argumentsText);
  const parts = Object.entries(values).map(([key, value]) =>
    typeof value === "string"
      ? firstWords(value)
      : typeof value === "number" || typeof value === "boolean"
        ? `${key} ${value}`
        : key,
  );
  return parts.join(" · ");
}

export function firstWords(text: string): string {
  const line = text.trimStart().split("\n", 1)[0]?.trimEnd() ?? "";
  return line.length > LABEL_CHARACTERS ? `${line.slice(0, LABEL_CHARACTERS - 1)}…` : line;
}
