import { ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import type { ExportedPoints } from "#metrics/export/read-exported.ts";

/** Row groups hold whole pages: small enough to be read one at a time, large enough to compress. */
const GROUP_ROWS = 100_000;

const columnsOf = (pages: readonly ExportedPoints[]) => [
  {
    name: "key",
    type: "STRING" as const,
    nullable: false,
    data: pages.flatMap(({ key, step }) => step.map(() => key)),
  },
  {
    name: "step",
    type: "INT32" as const,
    nullable: false,
    data: pages.flatMap(({ step }) => step),
  },
  {
    name: "wall_time",
    type: "TIMESTAMP" as const,
    nullable: false,
    data: pages.flatMap(({ wallMs }) => wallMs.map((ms) => new Date(ms))),
  },
  {
    name: "value",
    type: "DOUBLE" as const,
    nullable: false,
    data: pages.flatMap(({ value }) => value),
  },
];

/** One row a point: `key, step, wall_time, value`. Bytes leave as each row group is full. */
export async function* writeParquet(
  pages: AsyncIterable<ExportedPoints>,
): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const file = new ParquetWriter({
    writer: bytes,
    schema: schemaFromColumnData({ columnData: columnsOf([]) }),
    createdBy: "LiveRL",
  });
  const taken = () => {
    const copy = bytes.getBytes().slice();
    bytes.index = 0;
    return copy;
  };
  let group: ExportedPoints[] = [];
  let rows = 0;
  const write = async () => {
    if (rows > 0) await file.write({ columnData: columnsOf(group), rowGroupSize: rows });
    group = [];
    rows = 0;
    return taken();
  };
  for await (const page of pages) {
    group.push(page);
    rows += page.step.length;
    if (rows >= GROUP_ROWS) yield await write();
  }
  yield await write();
  await file.finish();
  yield taken();
}
