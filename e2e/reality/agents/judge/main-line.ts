import type { AgentLogRecord } from "#reality/agents/engine/scripted-engine.ts";

const startsWith = (ids: readonly number[], start: readonly number[]) =>
  ids.length >= start.length && start.every((id, i) => id === ids[i]);

/**
 * From the engine's log alone: how often a prompt of the main line does not begin with the one before and what was
 * sampled then. A request whose client was gone, or whose stream broke, has no successor: it is asked again.
 */
export function countBreaks(records: readonly AgentLogRecord[]): number {
  const line = records.filter(
    (record) => record.role === "main" && !record.disconnected && record.finishReason !== "broken",
  );
  return line.filter((record, i) => {
    const before = line[i - 1];
    return before && !startsWith(record.promptIds, [...before.promptIds, ...before.ids]);
  }).length;
}
