import type { FilterField } from "@liverl/contract/filter/filter-fields";
import type { FilterLeaf } from "@liverl/contract/filter/filter-tree";

/** What a column's own form holds: bounds of a number, ticked choices, or a part of a text. */
export interface ColumnForm {
  from: string;
  to: string;
  ticked: string[];
  part: string;
}

/** The form that says what a condition says; null for one that the form has no words for. */
export function formOfLeaf(leaf: FilterLeaf | null): ColumnForm | null {
  const form: ColumnForm = { from: "", to: "", ticked: [], part: "" };
  if (leaf === null) return form;
  if (leaf.kind === "range") return { ...form, from: String(leaf.from), to: String(leaf.to) };
  if (leaf.kind === "among") {
    const ticked = leaf.values.filter((value) => typeof value === "string");
    return ticked.length === leaf.values.length ? { ...form, ticked } : null;
  }
  const { op, value } = leaf;
  if (value === null) return null;
  const text = String(value);
  if (op === ">=") return { ...form, from: text };
  if (op === "<=") return { ...form, to: text };
  if (op === "~") return { ...form, part: text };
  if (op !== "=") return null;
  return typeof value === "number"
    ? { ...form, from: text, to: text }
    : { ...form, ticked: [text] };
}

/** The condition that a form says; null where it says nothing. */
export function leafOfForm(field: FilterField, form: ColumnForm): FilterLeaf | null {
  const { name } = field;
  if (field.kind === "number") {
    const from = numberOf(form.from);
    const to = numberOf(form.to);
    if (from !== null && to !== null)
      return from === to
        ? { kind: "compare", field: name, op: "=", value: from }
        : { kind: "range", field: name, from: Math.min(from, to), to: Math.max(from, to) };
    if (from !== null) return { kind: "compare", field: name, op: ">=", value: from };
    return to === null ? null : { kind: "compare", field: name, op: "<=", value: to };
  }
  const [only] = form.ticked;
  if (form.ticked.length > 1) return { kind: "among", field: name, values: [...form.ticked] };
  if (only !== undefined) return { kind: "compare", field: name, op: "=", value: only };
  const part = form.part.trim();
  return part === "" ? null : { kind: "compare", field: name, op: "~", value: part };
}

function numberOf(text: string): number | null {
  const value = Number(text.trim().replace(",", "."));
  return text.trim() === "" || !Number.isFinite(value) ? null : value;
}
