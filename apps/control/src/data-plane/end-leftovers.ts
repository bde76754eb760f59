import { forgetRecorded, isAlive, listRecorded, stopRecorded } from "@liverl/durable/process";

/** Ends every recorded process that still lives, but not those named in `except`: nothing is left behind. */
export async function endLeftovers(directory: string, except: readonly string[]): Promise<void> {
  const records = (await listRecorded(directory)).filter((record) => !except.includes(record.name));
  await Promise.all(
    records.map(async (record) => {
      if (await isAlive(record)) await stopRecorded(record, { graceMs: 1_500 });
      await forgetRecorded(directory, record.name);
    }),
  );
}
