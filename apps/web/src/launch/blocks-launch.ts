/** Why Launch is not possible now, in words; null when it is. */
export function blocksLaunch(state: {
  yamlFault: boolean;
  faults: number;
  fails: number;
  checking: boolean;
  unreachable: boolean;
}): string | null {
  if (state.yamlFault) return "The YAML does not parse";
  if (state.faults > 0)
    return state.faults === 1 ? "1 value is not valid" : `${state.faults} values are not valid`;
  if (state.unreachable) return "The checks can not run now";
  if (state.checking) return "Checking";
  if (state.fails > 0)
    return state.fails === 1 ? "1 check blocks launch" : `${state.fails} checks block launch`;
  return null;
}
