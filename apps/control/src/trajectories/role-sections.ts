/** Tokens of one role, as the chat template wrote them: `from` included, `to` excluded. */
export type RoleSection = { role: string; from: number; to: number };

const ROLE = /^\s*(system|developer|user|assistant|tool|ipython)\b/;
const CONTROL = /^<\|[^|>]*\|>/;
const CONTROL_ANYWHERE = /<\|[^|>]*\|>/g;

/**
 * Who says which of a given node's tokens, by the template's own headers: a control token with a role's name in it or right after
 * it, `<|im_start|>user`. What stands before the first header, and all of it in a template without such headers, is `role`'s.
 */
export function roleSections(texts: readonly string[], role: string): RoleSection[] {
  const sections: RoleSection[] = [];
  for (const [at, text] of texts.entries()) {
    const header = headerOf(text, texts[at + 1] ?? "");
    const last = sections.at(-1);
    if (last === undefined || (header !== null && header !== last.role))
      sections.push({ role: header ?? role, from: at, to: at + 1 });
    else last.to = at + 1;
  }
  return sections;
}

function headerOf(text: string, next: string): string | null {
  const control = CONTROL.exec(text)?.[0];
  if (control === undefined) return null;
  const rest = text.slice(control.length);
  const named = ROLE.exec(rest.trim() === "" ? next : rest);
  return named?.[1] ?? null;
}

/**
 * What the template wrote into the system's part besides the system's own messages: the definitions of the tools, mostly. Null where
 * there is nothing, or where the template has no headers to tell.
 */
export function templateText(
  texts: readonly string[],
  systemMessages: readonly string[],
): string | null {
  const system = roleSections(texts, "").find(({ role }) => role === "system");
  if (system === undefined) return null;
  let text = texts.slice(system.from, system.to).join("").replace(CONTROL_ANYWHERE, "");
  text = text.replace(/^\s*system[ \t]*\n/, "");
  for (const message of systemMessages) text = text.replace(message.trim(), () => "");
  text = text.trim();
  return text === "" ? null : text;
}
