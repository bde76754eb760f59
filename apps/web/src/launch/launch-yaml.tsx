"use client";
import { yaml } from "@codemirror/lang-yaml";
import CodeMirror, {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  MatchDecorator,
  Prec,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from "@uiw/react-codemirror";
import { useMemo } from "react";
import type { LineNote } from "#launch/prepare-line-notes.ts";

/** The draft as YAML text, each value with its source at the end of its line. */
export function LaunchYaml({
  text,
  notes,
  onChange,
}: {
  text: string;
  notes: ReadonlyMap<number, LineNote>;
  onChange: (text: string) => void;
}) {
  const extensions = useMemo(
    () => [
      LAUNCH_KEY,
      yaml(),
      THEME,
      COLOURS,
      lineNotes(notes),
      EditorView.contentAttributes.of({ "aria-label": "Launch spec as YAML", tabindex: "0" }),
    ],
    [notes],
  );
  return (
    <CodeMirror
      value={text}
      height="100%"
      theme="none"
      // Tab leads on, as everywhere.
      indentWithTab={false}
      basicSetup={{
        foldGutter: false,
        highlightActiveLine: false,
        highlightActiveLineGutter: false,
        syntaxHighlighting: false,
        autocompletion: false,
      }}
      extensions={extensions}
      onChange={onChange}
    />
  );
}

/** ⌘↵ launches; the editor would put a line in as well. */
const LAUNCH_KEY = Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => true }]));

class NoteWidget extends WidgetType {
  readonly note: LineNote;
  constructor(note: LineNote) {
    super();
    this.note = note;
  }
  override eq(other: NoteWidget): boolean {
    return other.note.text === this.note.text && other.note.tone === this.note.tone;
  }
  override toDOM(): HTMLElement {
    const mark = document.createElement("span");
    mark.className = `yaml-note ${this.note.tone}`;
    mark.textContent = this.note.text;
    return mark;
  }
}

function lineNotes(notes: ReadonlyMap<number, LineNote>) {
  const build = (view: EditorView): DecorationSet => {
    const marks = [];
    for (const [number, note] of [...notes].sort((a, b) => a[0] - b[0])) {
      if (number > view.state.doc.lines) continue;
      const line = view.state.doc.line(number);
      marks.push(Decoration.line({ class: `yaml-line ${note.tone}` }).range(line.from));
      marks.push(Decoration.widget({ widget: new NoteWidget(note), side: 1 }).range(line.to));
    }
    return Decoration.set(marks, true);
  };
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = build(view);
      }
      update(update: ViewUpdate) {
        // Until the notes of the new text arrive, the old ones move with their lines.
        if (update.docChanged) this.decorations = this.decorations.map(update.changes);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}

/** Colours of YAML as our variables say; a grammar's own colours would not follow the theme. */
const COLOURS = (() => {
  const pattern =
    /(#.*$)|(?<![\w.-])([\w.-]{1,200})(?=:(?:\s|$))|(?<=[:[,-]\s{0,9})(-?\d[\d_.]{0,40}(?:e[-+]?\d{1,9})?|true|false|null|~)(?=\s{0,9}(?:[,}\]#]|$))|(?<=:\s{1,9})("[^"]{0,500}"|'[^']{0,500}'|[A-Za-z_][\w./-]*)/gim;
  const classes = [null, "yaml-comment", "yaml-key", "yaml-number", "yaml-string"] as const;
  const matcher = new MatchDecorator({
    regexp: pattern,
    decoration: (match) => {
      const group = match.findIndex((text, at) => at > 0 && text !== undefined);
      return Decoration.mark({ class: classes[group] ?? "" });
    },
  });
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = matcher.createDeco(view);
      }
      update(update: ViewUpdate) {
        this.decorations = matcher.updateDeco(update, this.decorations);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
})();

const THEME = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--ink)", fontSize: "12.5px" },
  "&.cm-focused": { outline: "none" },
  // Inside the frame, which would cut it off.
  ".cm-content:focus-visible": { outline: "var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "20px", letterSpacing: "-.015em" },
  ".cm-content": { padding: "10px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 14px 0 8px", position: "relative" },
  ".cm-gutters": {
    backgroundColor: "transparent",
    border: "0",
    color: "var(--ink-3)",
    paddingRight: "6px",
  },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "30px", padding: "0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { background: "var(--accent-soft)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--pressed)" },
  ".yaml-comment": { color: "var(--ink-3)" },
  ".yaml-key": { color: "var(--accent)" },
  ".yaml-string": { color: "var(--ok)" },
  ".yaml-number": { color: "var(--warn)" },
  ".yaml-line.override": {
    background: "var(--accent-soft)",
    boxShadow: "inset 2px 0 var(--accent)",
  },
  ".yaml-line.fail": { background: "var(--bad-soft)", boxShadow: "inset 2px 0 var(--bad-mark)" },
  ".yaml-line.warn": { background: "var(--warn-soft)", boxShadow: "inset 2px 0 var(--warn-mark)" },
  ".yaml-note": {
    position: "absolute",
    right: "14px",
    fontFamily: "var(--font-ui)",
    fontSize: "11px",
    color: "var(--ink-3)",
    pointerEvents: "none",
  },
  ".yaml-note.override": { color: "var(--accent)" },
  ".yaml-note.fail": { color: "var(--bad)" },
  ".yaml-note.warn": { color: "var(--warn)" },
});
