import type { Tip } from "#charts/prepare-tip.ts";

/** More lines than a panel is high stand side by side. */
const MOST_IN_COLUMN = 4;

function element(name: string, className: string, text?: string): HTMLElement {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Fills the tooltip. Plain DOM: it changes with every move of the pointer, and mostly in its figures alone. */
export function writeTip(holder: HTMLElement, tip: Tip, leadsOn: boolean): void {
  const shape = JSON.stringify([
    tip.rows.map(({ color, label }) => [color, label]),
    tip.notes,
    leadsOn,
  ]);
  if (holder.dataset.shape !== shape) {
    holder.dataset.shape = shape;
    build(holder, tip, leadsOn);
  }
  const head = holder.firstElementChild?.firstElementChild ?? null;
  if (head !== null) setText(head, tip.head);
  for (const [index, figure] of [...holder.querySelectorAll("b")].entries())
    setText(figure, tip.rows[index]?.value ?? "");
}

function setText(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

function build(holder: HTMLElement, tip: Tip, leadsOn: boolean): void {
  const rows = tip.rows.map(({ color, label }) => {
    const swatch = element("i", "sw");
    swatch.style.background = `var(${color})`;
    const name = element("span", "row tip-name");
    name.append(swatch, label);
    const row = element("div", "tr");
    row.append(name, element("b", ""));
    return row;
  });
  const list = element("div", rows.length > MOST_IN_COLUMN ? "tip-rows two" : "tip-rows");
  list.append(...rows);
  const head = element("div", "row tip-head i3 f11");
  head.append(element("span", ""));
  if (leadsOn) head.append(element("span", "end", "click to open"));
  holder.replaceChildren(
    head,
    list,
    ...tip.notes.map((words) => element("div", "tip-note", words)),
  );
}
