export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** Each asks the program itself for candidates, so that they are those of the version that is installed. */
const SCRIPTS: Record<Shell, string> = {
  bash: `_liverl() {
  local IFS=$'\\n'
  COMPREPLY=($(liverl complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _liverl liverl`,
  zsh: `#compdef liverl
_liverl() {
  local -a candidates
  candidates=("\${(@f)$(liverl complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a candidates
}
compdef _liverl liverl`,
  fish: `complete -c liverl -f -a '(liverl complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
};

export const completionScript = (shell: Shell): string => SCRIPTS[shell];
