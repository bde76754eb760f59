/** A key as people find it in the file: `[verifier.environment].memory_mb`, `artifacts[0].source`. */
export function nameOfKey(path: readonly PropertyKey[]): string {
  const firstIndex = path.findIndex((part) => typeof part === "number");
  const head = firstIndex < 0 ? path : path.slice(0, firstIndex);
  const table = head.slice(0, -1).map(String).join(".");
  const rest = path
    .slice(head.length)
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`));
  return `${table ? `[${table}].` : ""}${String(head.at(-1) ?? "")}${rest.join("")}`;
}
