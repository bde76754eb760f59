/**
 * Prints `removed TAB path` and `repository TAB path TAB refs TAB remotes TAB objects TAB fault` lines. For POSIX shells,
 * busybox among them. `$1`: `hide`, or `keep` for repositories as they are; then the paths that are removed.
 *
 * A repository where a merge or rebase is under way stays as it is: what it is about hangs on no ref. Logs are deleted and
 * not expired, so that git makes them anew as the user that it runs as. Index and work tree are not touched.
 */
export const HIDE_SCRIPT = String.raw`
mode=$1; shift
for path in "$@"; do
  if [ -e "$path" ] || [ -L "$path" ]; then rm -rf "$path" && printf 'removed\t%s\n' "$path"; fi
done
[ "$mode" = hide ] || exit 0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
run() { git -c safe.directory='*' -c core.hooksPath=/dev/null -c core.fsmonitor= -c gc.auto=0 -c pack.threads=1 "$@"; }
say() { printf 'repository\t%s\t%s\t%s\t%s\t%s\n' "$GIT_DIR" "$1" "$2" "$3" "$4"; }
all() { run cat-file --batch-all-objects --batch-check='%(objectname)' | wc -l; }
line() { head -n 20 "$1" | tr '\n\t' '  '; }
history() {
  cd "$GIT_DIR" || return
  if ! command -v git > /dev/null; then say "" "" 0 "the image has no git"; return; fi
  head=$(run rev-parse -q --verify 'HEAD^{commit}') || { say "" "" 0 "its HEAD has no commit"; return; }
  for state in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD rebase-merge rebase-apply; do
    if [ -e "$state" ]; then say "" "" 0 "a merge or rebase is under way ($state)"; return; fi
  done
  run for-each-ref --format='%(refname)' > "$work/refs"
  run for-each-ref --format='%(refname)' --merged "$head" | grep -v -e '^refs/remotes/' -e '^refs/stash$' -e '^refs/original/' > "$work/kept"
  grep -vxF -f "$work/kept" "$work/refs" > "$work/gone"
  run remote > "$work/remotes" 2> /dev/null
  before=$(all)
  if [ -s "$work/gone" ]; then sed 's/^/delete /' "$work/gone" | run update-ref --no-deref --stdin 2> "$work/faults"; fi
  while read -r remote; do run config --remove-section "remote.$remote"; done < "$work/remotes" 2> /dev/null
  rm -rf logs ORIG_HEAD FETCH_HEAD info/refs objects/info/commit-graph objects/info/commit-graphs
  reached=$(run rev-list --objects --all --indexed-objects HEAD 2> /dev/null | wc -l)
  if [ "$before" -gt "$reached" ] || [ -s objects/info/alternates ]; then
    rm -f objects/pack/*.keep
    { run repack -a -d -q && rm -f objects/info/alternates && run prune --expire=now && run prune-packed -q; } 2> "$work/faults"
    rm -f objects/info/commit-graph
  fi
  owner=$(stat -c %u:%g .); case $owner in 0:*) ;; *) chown -R "$owner" . ;; esac
  left=$(($(all) - reached)); fault=
  if [ "$left" -gt 0 ]; then fault="$left objects are left: $(tail -n 1 "$work/faults" | tr '\t' ' ')"; fi
  say "$(line "$work/gone")" "$(line "$work/remotes")" "$((before - reached))" "$fault"
}
{
  find "$PWD" -xdev -maxdepth 8 \( -name node_modules -o -path /proc -o -path /sys \) -prune -o -name HEAD -type f -print 2> /dev/null | while read -r file; do
    place=${"$"}{file%/HEAD}
    if [ -d "$place/objects" ] && [ -d "$place/refs" ]; then echo "$place"; fi
  done
  if command -v git > /dev/null; then (common=$(run rev-parse --git-common-dir 2> /dev/null) && cd "$common" && pwd); fi
} | sort -u > "$work/repositories"
while read -r GIT_DIR; do (export GIT_DIR; history < /dev/null); done < "$work/repositories"
exit 0
`;
