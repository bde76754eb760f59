const TAGGED = /<([a-z:]*think[\w:]*)>[\s\S]*?<\/\1>\s*/g;
const HALF = /<\/?[a-z:]*think[\w:]*>\s*/g;
const HARMONY = /<\|start\|>assistant<\|channel\|>analysis<\|message\|>[\s\S]*?<\|end\|>/g;

/** Rendered text without blocks of thought, empty and half ones too, to compare conversations that differ in them alone. */
export function withoutThoughtText(text: string): string {
  return text.replace(HARMONY, "").replace(TAGGED, "").replace(HALF, "");
}
