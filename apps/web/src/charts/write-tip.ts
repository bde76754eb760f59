import type { Tip } from "#charts/prepare-tip.ts";

function element(name: string, className: string, text?: string): HTMLElement {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Fills the tooltip. Plain DOM: it changes with every move of the pointer. */
export function writeTip(holder: HTMLElement, tip: Tip, leadsOn: boolean): void {
  const rows = tip.rows.map(({ color, label, value }) => {
    const swatch = element("i", "sw");
    swatch.style.background = `var(${color})`;
    const name = element("span", "row tip-name");
    name.append(swatch, label);
    const row = element("div", "tr");
    row.append(name, element("b", "", value));
    return row;
  });
  holder.replaceChildren(
    element("div", "i3 f11", tip.head),
    ...rows,
    ...tip.notes.map((words) => element("div", "tip-note", words)),
    ...(leadsOn ? [element("div", "i3 f11", "Click: rollouts of this step")] : []),
  );
}
