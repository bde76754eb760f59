/** `text` without what stands from each `open` to the next `close`. Linear: an expression would look for a close again from every open. */
export function stripTagged(text: string, open: string, close: string): string {
  let kept = "";
  let from = 0;
  for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, from)) {
    const end = text.indexOf(close, at + open.length);
    if (end < 0) break;
    kept += text.slice(from, at);
    from = end + close.length;
  }
  return from === 0 ? text : kept + text.slice(from);
}
