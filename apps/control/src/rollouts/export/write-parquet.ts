import type { RolloutRow } from "@liverl/contract/views";
import { ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { FLAT_COLUMNS } from "#rollouts/export/flat-row.ts";

const COLUMNS = Object.entries(FLAT_COLUMNS);

/** A Parquet file, piece by piece: a row group a batch, its footer last. Only one batch is in memory, and the footer's places. */
export async function* writeParquet(
  batches: AsyncIterable<readonly RolloutRow[]>,
): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: schemaFromColumnData({ columnData: columnsOf([]) }),
  });
  for await (const rows of batches) {
    await writer.write({ columnData: columnsOf(rows), rowGroupSize: Math.max(1, rows.length) });
    yield drain(bytes);
  }
  await writer.finish();
  yield drain(bytes);
}

function columnsOf(rows: readonly RolloutRow[]) {
  return COLUMNS.map(([name, { kind, read }]) => ({
    name,
    type: kind,
    nullable: true,
    data: rows.map(read),
  }));
}

/** What was written since; `offset`, by which the file knows its places, goes on. */
function drain(bytes: ByteWriter): Uint8Array {
  const piece = new Uint8Array(bytes.getBuffer());
  bytes.index = 0;
  return piece;
}
