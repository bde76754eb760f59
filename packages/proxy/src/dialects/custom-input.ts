/** The text of a custom tool is the one parameter that it was offered with; what is not in that form is given whole. */
export function customInput(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && "input" in value)
      return typeof value.input === "string" ? value.input : JSON.stringify(value.input);
  } catch {
    // Not JSON: the text itself.
  }
  return text;
}
