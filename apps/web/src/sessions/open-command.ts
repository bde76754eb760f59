/** The shell command that opens a session at `origin`, with the token of the data directory. */
export function openCommand(origin: string, dataDir: string): string {
  const token = `'${`${dataDir}/operator.token`.replaceAll("'", "'\\''")}'`;
  return [
    `curl -X POST ${origin}/api/v1/sessions \\`,
    `  -H "authorization: Bearer $(cat ${token})" \\`,
    `  -H "content-type: application/json" -d '{}'`,
  ].join("\n");
}
