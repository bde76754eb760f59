/** Where package managers keep what they know of a package, and what of the path is its name. */
const PLACES: readonly (readonly [manager: string, place: RegExp])[] = [
  ["apt", /^\/var\/lib\/dpkg\/info\/([^/:]+)(?::[^/:.]+)?\.list$/],
  ["pip", /\/([^/]+)\.dist-info(?:\/|$)/],
  // Elsewhere it is what `pip install -e` leaves in the task's own folder.
  ["pip", /\/(?:site|dist)-packages\/([^/]+)\.egg-info(?:\/|$)/],
  ["npm", /^(?!.*\/node_modules\/\.).*\/node_modules\/((?:@[^/]+\/)?[^/@.][^/]*)(?:\/|$)/],
  ["cargo", /\/\.?cargo\/registry\/src\/[^/]+\/([^/]+)(?:\/|$)/],
  ["go", /\/go\/pkg\/mod\/(?!cache\/)([^@]{1,300}@[^/]{1,300})(?:\/|$)/],
  ["gem", /\/gems\/[^/]+\/gems\/([^/]+)(?:\/|$)/],
];
/** These tell that packages changed and not which. */
const NAMELESS: readonly (readonly [manager: string, place: RegExp])[] = [
  ["apt", /^\/var\/lib\/dpkg\//],
  ["rpm", /^\/(var|usr)\/lib\/(sysimage\/)?rpm\//],
  ["pacman", /^\/var\/lib\/pacman\//],
  ["apk", /^\/lib\/apk\//],
];

/** The package that a file is about; its name is null where only its manager is seen. Pure. */
export function packageOf(path: string): { manager: string; name: string | null } | null {
  for (const [manager, place] of PLACES) {
    const name = place.exec(path)?.[1];
    if (name !== undefined) return { manager, name };
  }
  const found = NAMELESS.find(([, place]) => place.test(path));
  return found ? { manager: found[0], name: null } : null;
}
