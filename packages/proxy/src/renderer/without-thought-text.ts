const TAG = /<(\/?)([a-z:]{0,40}think[\w:]{0,40})>\s*/g;
const HARMONY = { open: "<|start|>assistant<|channel|>analysis<|message|>", close: "<|end|>" };

/** Rendered text without blocks of thought, empty and half ones too, to compare conversations that differ in them alone. Linear in the text. */
export function withoutThoughtText(text: string): string {
  return withoutTags(withoutHarmony(text));
}

function withoutHarmony(text: string): string {
  let kept = "";
  let at = 0;
  for (;;) {
    const open = text.indexOf(HARMONY.open, at);
    const close = open < 0 ? -1 : text.indexOf(HARMONY.close, open);
    if (close < 0) return kept + text.slice(at);
    kept += text.slice(at, open);
    at = close + HARMONY.close.length;
  }
}

/** An opening tag goes with all up to the next closing tag of its name; a tag without its other half goes alone. */
function withoutTags(text: string): string {
  const tags = Array.from(text.matchAll(TAG), (tag) => ({
    name: tag[2] ?? "",
    isClose: tag[1] === "/",
    from: tag.index,
    to: tag.index + tag[0].length,
  }));
  const closes = new Map<string, number[]>();
  for (const { name, isClose, to } of tags.toReversed())
    if (isClose) (closes.get(name) ?? closes.set(name, []).get(name))?.push(to);
  let kept = "";
  let at = 0;
  for (const { name, isClose, from, to } of tags) {
    const later = closes.get(name);
    while (later?.length && (later.at(-1) ?? 0) <= to) later.pop();
    if (from < at) continue;
    kept += text.slice(at, from);
    at = isClose ? to : (later?.at(-1) ?? to);
  }
  return kept + text.slice(at);
}
