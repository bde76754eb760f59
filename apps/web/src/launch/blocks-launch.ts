/** Why Launch is not possible now, in words; null when it is. */
export function blocksLaunch(state: {
  yamlFault: boolean;
  faults: number;
  fails: number;
  checking: boolean;
  unreachable: boolean;
}): string | null {
  if (state.yamlFault) return "Invalid YAML";
  if (state.faults > 0)
    return state.faults === 1 ? "1 invalid value" : `${state.faults} invalid values`;
  if (state.unreachable) return "Checks unavailable";
  if (state.checking) return "Checking";
  if (state.fails > 0)
    return state.fails === 1 ? "1 check blocks launch" : `${state.fails} checks block launch`;
  return null;
}
