import type { ExportedPoints } from "#metrics/export/read-exported.ts";

/** The body that `POST /api/v1/metrics` takes: `{project, run, series: [{key, step, value, time}]}`, time in seconds since 1970. */
export async function* writeJson(
  pages: AsyncIterable<ExportedPoints>,
  { project, name }: { project: string; name: string },
): AsyncGenerator<string> {
  yield `{"project":${JSON.stringify(project)},"run":${JSON.stringify(name)},"series":[`;
  let comma = "";
  for await (const { key, step, wallMs, value } of pages) {
    const series = {
      key,
      step,
      // JSON has no word for what is not finite; these strings are what the route reads.
      value: value.map((number) => (Number.isFinite(number) ? number : String(number))),
      time: wallMs.map((ms) => ms / 1000),
    };
    yield `${comma}\n${JSON.stringify(series)}`;
    comma = ",";
  }
  yield "\n]}\n";
}
