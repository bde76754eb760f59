/** Tokens of one role, as the chat template wrote them: `from` included, `to` excluded. */
export type RoleSection = { role: string; from: number; to: number };

const ROLE = /^\s*(system|developer|user|assistant|tool|ipython|observation)\b/i;
/** `<|im_start|>`, `<｜User｜>`, `<start_of_turn>`: its name is what tells. */
const CONTROL = /^<(?:[|｜]([^|｜>]*)[|｜]|(start_of_turn))>/;
const CONTROL_ANYWHERE = /<(?:[|｜][^|｜>]*[|｜]|start_of_turn|end_of_turn)>/g;
/** Tokens that a role's name follows; after others the same word is somebody's. */
const OPENING = /^(?:im_start|im_system|im_user|im_assistant|start|start_header_id|start_of_turn)$/;

/**
 * Who says which of a given node's tokens, by the template's own headers: a control token that is a role's name, `<|user|>`, or one that opens a
 * message, with the name right after it, `<|im_start|>user`. What stands before the first header, and all of it in a template without such headers, is `role`'s.
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
  const control = CONTROL.exec(text);
  if (control === null) return null;
  const name = control[1] ?? control[2] ?? "";
  if (ROLE.exec(name)?.[0] === name) return name.toLowerCase();
  if (!OPENING.test(name)) return null;
  const rest = text.slice(control[0].length);
  const named = ROLE.exec(rest.trim() === "" ? next : rest);
  return named?.[1]?.toLowerCase() ?? null;
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
  let text = texts.slice(system.from, system.to).join("");
  // Before control tokens are taken out: a message may hold what looks like one.
  for (const message of systemMessages) text = text.replace(message.trim(), () => "");
  text = text
    .replace(CONTROL_ANYWHERE, "")
    .replace(/^\s*(?:system|developer)[ \t]*\n/, "")
    .trim();
  return text === "" ? null : text;
}
