/** `[verifier.environment].memory_mb`, as people write it. */
export function nameOfKey(path: readonly PropertyKey[]): string {
  const written = path.reduce<string>(
    (name, part) =>
      typeof part === "number"
        ? `${name}[${part}]`
        : name
          ? `${name}.${String(part)}`
          : String(part),
    "",
  );
  const at = written.lastIndexOf(".");
  return at < 0 ? written : `[${written.slice(0, at)}].${written.slice(at + 1)}`;
}
