/**
 * The instruction without the canary lines at its beginning: marks that keep a benchmark out of training data, which no
 * agent is to see.
 */
export function withoutCanary(text: string): string {
  const lines = text.split("\n");
  const isCanary = (line = "") => {
    const text = line.trim().toLowerCase();
    const isComment = text.startsWith("#") || (text.startsWith("<!--") && text.endsWith("-->"));
    return isComment && text.includes("canary");
  };
  let at = 0;
  while (isCanary(lines[at])) at++;
  while (lines[at]?.trim() === "") at++;
  return lines.slice(at).join("\n");
}
