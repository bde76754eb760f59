/** One line of the shortcut sheet. */
export type Shortcut = { keys: readonly string[]; does: string };

export const GLOBAL_SHORTCUTS: readonly Shortcut[] = [
  { keys: ["⌘K"], does: "Search or jump to" },
  { keys: ["n"], does: "Launch a run" },
  { keys: ["⇧D"], does: "Dark or light" },
  { keys: ["?"], does: "This sheet" },
  { keys: ["esc"], does: "Close" },
];
