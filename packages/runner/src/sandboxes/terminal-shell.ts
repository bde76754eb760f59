/** Says which session it leads, then becomes the best shell that the image has. An exec with a terminal leads a session of its own. */
export const SHELL = 'echo "$$"; if command -v bash > /dev/null 2>&1; then exec bash; fi; exec sh';

/**
 * A script that kills every process of a terminal's session, in whatever group a shell put it. `/proc/PID/stat`, proc(5):
 * after the name in parentheses come state, parent, group and session.
 */
export const endSession = (session: number) =>
  `for stat in /proc/[0-9]*/stat; do
  read -r line 2> /dev/null < "$stat" || continue
  set -- \${line##*) }
  if [ "$4" = ${session} ]; then pid=\${stat%/stat}; kill -9 "\${pid#/proc/}" 2> /dev/null; fi
done; true`;

/** A session's number and its line's end have far less: a shell may be the agent's own. */
const MAX_LINE_BYTES = 32;

/** What a shell writes after the line in which it says its session. */
export async function* afterAnnouncement(
  stream: AsyncIterable<Buffer>,
  onSession: (session: number) => void,
): AsyncGenerator<Buffer> {
  let first: Buffer | null = Buffer.alloc(0);
  for await (const chunk of stream) {
    if (first === null) {
      yield chunk;
      continue;
    }
    first = Buffer.concat([first, chunk]);
    const end = first.subarray(0, MAX_LINE_BYTES).indexOf("\n");
    if (end < 0 && first.length < MAX_LINE_BYTES) continue;
    const line = first.toString("latin1", 0, Math.max(end, 0)).trim();
    const isAnnounced = /^\d+$/.test(line);
    if (isAnnounced) onSession(Number(line));
    // A container without a shell says so in its place.
    const rest = isAnnounced ? first.subarray(end + 1) : first;
    first = null;
    if (rest.length > 0) yield rest;
  }
  if (first !== null && first.length > 0) yield first;
}
