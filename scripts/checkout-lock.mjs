// One process at a time installs and builds in a checkout. Node's own modules only.
import fs from "node:fs";
import { dirname } from "node:path";

const LOOK_MS = 500;

/** The living holder's pid; null where nobody holds it, as after a kill. */
function holderOf(path) {
  try {
    const pid = Number(fs.readFileSync(path, "utf8"));
    process.kill(pid, 0);
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch (error) {
    // EPERM: it lives, and is another user's.
    return error.code === "EPERM" ? "of another user" : null;
  }
}

function take(path) {
  try {
    // Written before it is there: nobody reads it empty.
    const own = `${path}.${process.pid}`;
    fs.writeFileSync(own, String(process.pid));
    try {
      fs.linkSync(own, path);
    } finally {
      fs.rmSync(own);
    }
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** Waits until nobody else holds `path`, which `tell` hears once, and gives what releases it. */
export async function holdLock(path, tell) {
  fs.mkdirSync(dirname(path), { recursive: true });
  for (let isTold = false; !take(path); ) {
    const holder = holderOf(path);
    if (holder === null) {
      fs.rmSync(path, { force: true });
      continue;
    }
    if (!isTold) tell(holder);
    isTold = true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return () => fs.rmSync(path, { force: true });
}
