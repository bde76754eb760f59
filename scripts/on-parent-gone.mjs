// Node's own modules only: `npm start` imports it before there are any others.

const LOOK_MS = 1_000;
/** Taken when this file is imported: a parent may go away while packages install. */
const PARENT = process.ppid;

/** npm hands a signal to the shell that it put between itself and its script, and the shell dies without handing it on. */
export function isParentGone() {
  return process.env.npm_lifecycle_event !== undefined && process.ppid !== PARENT;
}

/** Calls `act` once, when npm started this process and its parent is no more. Keeps no process alive. */
export function onParentGone(act, lookMs = LOOK_MS) {
  const timer = setInterval(() => {
    if (!isParentGone()) return;
    clearInterval(timer);
    act();
  }, lookMs);
  timer.unref();
}
