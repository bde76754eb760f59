export type YamlLine = { number: number; indent: string; key: string | null; rest: string };

/** Lines of our own YAML, with Hydra's keys among them, split so that keys can be set apart. Nothing is lost: indent + key + rest is the line. */
export function parseYamlLines(yaml: string): YamlLine[] {
  return yaml
    .replace(/\n$/, "")
    .split("\n")
    .map((line, index) => {
      const match = /^(\s*(?:- )?)([+~\w./@-]+)(:.*)$/.exec(line);
      if (match === null) return { number: index + 1, indent: "", key: null, rest: line };
      return {
        number: index + 1,
        indent: match[1] ?? "",
        key: match[2] ?? "",
        rest: match[3] ?? "",
      };
    });
}
