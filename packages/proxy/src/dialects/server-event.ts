/** One server-sent event with JSON as its data. */
export function serverEvent(data: unknown, name?: string): string {
  const head = name === undefined ? "" : `event: ${name}\n`;
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}
