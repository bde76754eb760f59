const FAMILY = /^# HELP (\S+)/;

/** One exposition of several in Prometheus' text format: a family's HELP and TYPE stand once, before all its samples. */
export function mergeMetrics(texts: readonly string[]): string {
  const families = new Map<string, { head: string[]; samples: string[] }>();
  for (const text of texts) {
    const seen = new Set(families.keys());
    let family = { head: [] as string[], samples: [] as string[] };
    let isNew = true;
    for (const line of text.split("\n")) {
      const name = FAMILY.exec(line)?.[1];
      if (name !== undefined) {
        isNew = !seen.has(name);
        family = families.get(name) ?? { head: [], samples: [] };
        families.set(name, family);
      }
      if (line === "") continue;
      if (!line.startsWith("#")) family.samples.push(line);
      else if (isNew) family.head.push(line);
    }
  }
  return [...families.values()]
    .map(({ head, samples }) => `${[...head, ...samples].join("\n")}\n`)
    .join("\n");
}
