/** Globals that a candidate may see. All others (ArrayBuffer, Proxy, Reflect, eval, WebAssembly, …) are taken away. */
const KEPT_GLOBALS = [
  "Object",
  "Function",
  "Array",
  "Number",
  "Boolean",
  "String",
  "Symbol",
  "BigInt",
  "Math",
  "JSON",
  "Map",
  "Set",
  "RegExp",
  "Date",
  "Promise",
  "Error",
  "TypeError",
  "RangeError",
  "SyntaxError",
  "ReferenceError",
  "isNaN",
  "isFinite",
  "parseInt",
  "parseFloat",
  "globalThis",
  "undefined",
  "NaN",
  "Infinity",
];

/**
 * Runs first in a fresh context. Takes away what a repair never needs, freezes the intrinsics and the bindings that
 * are left, so that patching one throws, and leaves `$liverlDrive`, which calls the candidate's functions and
 * writes their results as one string: `n5 bt xobject !` (number, boolean, other type, threw). It only uses
 * syntax on primitives and on lists of its own, so nothing that a candidate defines is ever called by it.
 */
export const LOCKDOWN = `"use strict";
(() => {
  const kept = new Set(${JSON.stringify(KEPT_GLOBALS)});
  const { freeze, getOwnPropertyDescriptor, getOwnPropertyNames, defineProperty, getPrototypeOf } = Object;
  freeze(getPrototypeOf(function* () {}));
  freeze(getPrototypeOf(async function () {}));
  freeze(getPrototypeOf([][Symbol.iterator]()));
  for (const name of getOwnPropertyNames(globalThis)) {
    if (!kept.has(name)) {
      delete globalThis[name];
      continue;
    }
    const { value, configurable } = getOwnPropertyDescriptor(globalThis, name);
    if (configurable) defineProperty(globalThis, name, { value, writable: false, enumerable: false, configurable: false });
    if (value === globalThis || value === undefined || (typeof value !== "function" && typeof value !== "object")) continue;
    if (value.prototype) freeze(value.prototype);
    freeze(value);
  }
})();
const $liverlDrive = (functions, argumentList) => {
  let out = "";
  for (let i = 0; i < functions.length; i++) {
    const candidate = functions[i];
    for (let j = 0; j < argumentList.length; j++) {
      let token = "!";
      try {
        const result = candidate(argumentList[j][0], argumentList[j][1]);
        const type = typeof result;
        if (type === "number") token = result === 0 && 1 / result < 0 ? "n-0" : "n" + result;
        else if (type === "boolean") token = result ? "bt" : "bf";
        else token = "x" + type;
      } catch {}
      out += out === "" ? token : " " + token;
    }
  }
  return out;
};`;

/** The statement that calls the candidate's functions; `typeof` keeps a missing one from being a ReferenceError. */
export function driveCall(
  functionNames: readonly string[],
  argumentList: readonly (readonly [number, number])[],
): string {
  const functions = functionNames.map(
    (name) => `typeof ${name} === "function" ? ${name} : undefined`,
  );
  return `$liverlDrive([${functions.join(", ")}], ${JSON.stringify(argumentList)});`;
}
