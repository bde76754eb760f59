/** A family's HELP and TYPE lines, and its samples. */
interface Family {
  head: string[];
  samples: string[];
}

const FAMILY = /^# HELP (\S+)/;

/** One exposition of several in Prometheus' text format: a family's HELP and TYPE stand once, before all its samples. */
export function mergeMetrics(texts: readonly string[]): string {
  const families = new Map<string, Family>();
  for (const text of texts) {
    for (const [name, { head, samples }] of familiesOf(text)) {
      const family = families.get(name) ?? { head, samples: [] };
      family.samples.push(...samples);
      families.set(name, family);
    }
  }
  return [...families.values()]
    .map(({ head, samples }) => `${[...head, ...samples].join("\n")}\n`)
    .join("\n");
}

function familiesOf(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let family: Family = { head: [], samples: [] };
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const name = FAMILY.exec(line)?.[1];
    if (name !== undefined) {
      family = { head: [], samples: [] };
      families.set(name, family);
    }
    (line.startsWith("#") ? family.head : family.samples).push(line);
  }
  return families;
}
