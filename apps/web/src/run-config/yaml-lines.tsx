import { parseYamlLines } from "#run-config/parse-yaml-lines.ts";

/** YAML with its lines numbered and its keys set apart. */
export function YamlLines({ yaml }: { yaml: string }) {
  return (
    <pre className="yaml">
      {parseYamlLines(yaml).map((line) => (
        <div key={line.number}>
          <i>{line.number}</i>
          {line.indent}
          {line.key !== null && <span className="yaml-key">{line.key}</span>}
          {line.rest}
        </div>
      ))}
    </pre>
  );
}
