/** Redraws of axes in one animation frame: each costs milliseconds, and a page has dozens. */
const PER_FRAME = 6;

const waiting = new Set<() => void>();
let isRunning = false;

/** Calls `task` in one of the next animation frames, a few tasks in each. The returned function takes it back. */
export function whenFrameHasRoom(task: () => void): () => void {
  waiting.add(task);
  if (!isRunning) {
    isRunning = true;
    requestAnimationFrame(runSome);
  }
  return () => waiting.delete(task);
}

function runSome(): void {
  for (const task of [...waiting].slice(0, PER_FRAME)) {
    waiting.delete(task);
    task();
  }
  isRunning = waiting.size > 0;
  if (isRunning) requestAnimationFrame(runSome);
}
