"use client";
import { completeFilter, type FilterOption } from "@liverl/contract/filter/complete-filter";
import type { FilterFields } from "@liverl/contract/filter/filter-fields";
import { printValue } from "@liverl/contract/filter/print-filter";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useId, useRef, useState } from "react";
import styles from "#filters/filters.module.css";
import { mendFault, readFilterText } from "#filters/read-fault.ts";
import { useDraft } from "#filters/use-draft.ts";
import { Icon } from "#ui/icon.tsx";
import { Kbd } from "#ui/kbd.tsx";
import { usePageKeys } from "#ui/use-page-keys.ts";

/** Short enough for rows to be there 300 ms after the last letter; half a word is seldom a filter, so few are asked in vain. */
const APPLY_AFTER_MS = 40;

/** A filter field. A valid text is applied while it is typed; an invalid one shows its error, and the caller dims the rows of the filter before it. */
export function FilterBox({
  value,
  fields,
  example,
  onApply,
  onValid,
  valuesOf,
}: {
  value: string;
  fields: FilterFields;
  example: string;
  onApply: (text: string) => void;
  /** Whether the text in the field is a filter; while it is not, the rows on the page belong to an earlier one. */
  onValid: (isValid: boolean) => void;
  /** Values that the server knows of a field, for the list. */
  valuesOf: (field: string, prefix: string) => Promise<string[]>;
}) {
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  const { text, setText, send } = useDraft(value);
  const [isOpen, setOpen] = useState(false);
  const [caret, setCaret] = useState(0);
  const [hot, setHot] = useState<number | null>(null);
  usePageKeys([["/", () => input.current?.focus()]]);
  const apply = (next: string) => {
    send(next);
    onApply(next);
  };
  const applySoon = useDebouncedCallback(apply, APPLY_AFTER_MS);
  const applyNow = (next: string) => {
    // Also in place of what was to be applied in a moment.
    applySoon(next);
    applySoon.flush();
  };
  const { fault } = readFilterText(text, fields);
  const completion = completeFilter(text, caret, fields);
  const found = useValues(isOpen ? completion.valuesOf : null, valuesOf);
  const options = [...found, ...completion.options];
  const type = (next: string, at: number) => {
    setText(next);
    setCaret(at);
    setHot(null);
    setOpen(true);
    if (readFilterText(next, fields).fault === null) applySoon(next);
  };
  const take = (option: FilterOption) => {
    const head = `${text.slice(0, completion.from)}${option.text} `;
    type(head + text.slice(completion.to).trimStart(), head.length);
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(head.length, head.length);
    });
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const chosen = hot === null ? undefined : options[hot];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (options.length === 0) return;
      event.preventDefault();
      const by = event.key === "ArrowDown" ? 1 : -1;
      setOpen(true);
      setHot(((hot ?? (by > 0 ? -1 : 0)) + by + options.length) % options.length);
    } else if (isOpen && chosen && (event.key === "Enter" || event.key === "Tab")) {
      event.preventDefault();
      take(chosen);
    } else if (event.key === "Enter" && fault === null) {
      setOpen(false);
      applyNow(text);
    } else if (event.key === "Escape") {
      if (isOpen) setOpen(false);
      else input.current?.blur();
    }
  };
  const isValid = fault === null;
  useEffect(() => onValid(isValid), [isValid, onValid]);
  // Suggestions help with the word at the caret. An error before it comes first: they would cover it.
  const isInWord = fault === null || fault.column - 1 + fault.length >= completion.from;
  const isListed = isOpen && options.length > 0 && isInWord;
  return (
    <div className={styles.box}>
      <label className="search" style={{ width: "100%" }} data-fault={fault !== null || undefined}>
        <Icon name="filter" size={14} />
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label="Filter"
          aria-expanded={isListed}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={hot === null ? undefined : `${list}-${hot}`}
          aria-invalid={fault !== null}
          className="m"
          placeholder={example}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) =>
            type(event.currentTarget.value, event.currentTarget.selectionStart ?? 0)
          }
          onFocus={() => setOpen(true)}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
        />
        {text !== "" && (
          <button
            type="button"
            className={styles.clear}
            aria-label="Clear filter"
            onClick={() => {
              setText("");
              applyNow("");
            }}
          >
            <Icon name="x" size={12} />
          </button>
        )}
        <Kbd>/</Kbd>
      </label>
      {isListed && (
        <div className={styles.list} id={list} role="listbox" aria-label="Suggestions">
          {options.map((option, at) => (
            <button
              key={option.text}
              type="button"
              tabIndex={-1}
              role="option"
              id={`${list}-${at}`}
              aria-selected={at === hot}
              // The field must not lose the focus before the click comes.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => take(option)}
            >
              <span className="m">{option.text}</span>
              <span className="i3 trunc">{option.about}</span>
            </button>
          ))}
        </div>
      )}
      {fault !== null && !isListed && (
        <Fault text={text} fault={fault} onMend={(mended) => type(mended, mended.length)} />
      )}
    </div>
  );
}

function Fault({
  text,
  fault,
  onMend,
}: {
  text: string;
  fault: NonNullable<ReturnType<typeof readFilterText>["fault"]>;
  onMend: (text: string) => void;
}) {
  const mended = mendFault(text, fault);
  return (
    <p className={styles.fault} role="alert">
      {fault.message} <span className="i3">(character {fault.column})</span>
      {mended !== null && (
        <button type="button" className="lnk" onClick={() => onMend(mended)}>
          Use {fault.suggestion}
        </button>
      )}
    </p>
  );
}

/** Values of a field as options, asked for as the word grows. */
function useValues(
  wanted: ReturnType<typeof completeFilter>["valuesOf"],
  valuesOf: (field: string, prefix: string) => Promise<string[]>,
): FilterOption[] {
  const [known, setKnown] = useState<{ of: string; values: string[] }>({ of: "", values: [] });
  const field = wanted?.field.name ?? null;
  const prefix = wanted?.prefix ?? "";
  const key = `${field}\n${prefix}`;
  useEffect(() => {
    if (field === null) return;
    let isLate = false;
    // Without them the list is shorter, and nothing else.
    void valuesOf(field, prefix)
      .catch(() => [])
      .then((values) => {
        if (!isLate) setKnown({ of: key, values });
      });
    return () => {
      isLate = true;
    };
  }, [field, prefix, key, valuesOf]);
  if (field === null || known.of !== key) return [];
  return known.values.map((value) => ({ text: printValue(value), about: "" }));
}
