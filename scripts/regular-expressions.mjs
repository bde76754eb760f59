// Every regular expression of the product's source, and whether its time is linear in the text that it is given.
// `node scripts/regular-expressions.mjs` judges those that are new, which takes minutes for many, and saves what is linear.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "oxc-parser";
import { check } from "recheck";

const root = fileURLToPath(new URL("..", import.meta.url));
const SOURCE = /^(apps|packages|prisma|scripts)\/.*\.(ts|tsx|mjs)$/;
const NOT_SHIPPED = /\.test\.tsx?$|\/testing\/|\/generated\//;

const JUDGED = join(root, "scripts/linear-expressions.json");

/** Expressions that were judged linear before, as `/pattern/flags`. An expression that changes is judged anew. */
export const readJudged = () => JSON.parse(readFileSync(JUDGED, "utf8"));

export const sourceFiles = () =>
  execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((path) => SOURCE.test(path) && !NOT_SHIPPED.test(path));

/** `{pattern, flags, place}` of each expression in a file; `pattern` is null where it is known at run time alone. */
export function expressionsOf(path, source = readFileSync(join(root, path), "utf8")) {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const constants = new Map();
  const found = [];
  const placeOf = ({ start }) => `${path}:${source.slice(0, start).split("\n").length}`;
  const built = (node) => {
    if (node.callee.type !== "Identifier" || node.callee.name !== "RegExp") return;
    const [pattern, flags] = node.arguments;
    found.push({
      pattern: textOf(pattern, constants),
      flags: flags === undefined ? "" : textOf(flags, constants),
      place: placeOf(node),
    });
  };
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (id.type === "Identifier" && init) constants.set(id.name, init);
    },
    Literal: (node) => {
      if (node.regex) found.push({ ...node.regex, place: placeOf(node) });
    },
    NewExpression: built,
    CallExpression: built,
  }).visit(program);
  return found;
}

/** The text that an expression of constants makes; null where it is made of anything else. */
function textOf(node, constants) {
  switch (node?.type) {
    case "Literal":
      return typeof node.value === "string" ? node.value : null;
    case "Identifier":
      return constants.has(node.name) ? textOf(constants.get(node.name), constants) : null;
    case "TemplateLiteral":
      return joined(node, "cooked", constants);
    case "TaggedTemplateExpression":
      return joined(node.quasi, "raw", constants);
    default:
      return null;
  }
}

function joined({ quasis, expressions }, form, constants) {
  const parts = quasis.map(({ value }, i) => {
    const next = i < expressions.length ? textOf(expressions[i], constants) : "";
    return next === null ? null : value[form] + next;
  });
  return parts.includes(null) ? null : parts.join("");
}

const SHORT = 20_000;
const LONG = 1_000_000;
/** CPU time. Quadratic time takes seconds for the short text, and linear time not a tenth of it for the long one. */
const SHORT_MS = 150;
const LONG_MS = 2_000;

/**
 * Null where the time is linear, else what is wrong. recheck proves it by automaton theory. What that leaves open (long counted
 * repeats, look-around, back-references) is measured: with recheck's own attack and with the expression's own words, at 1 MB.
 */
export async function faultOf({ pattern, flags }) {
  const { status, checker, attack } = await check(pattern, flags, { timeout: 5_000 });
  if (status === "safe" && checker === "automaton") return null;
  if (status === "vulnerable" && checker === "automaton") return `slow for ${attack.pattern}`;
  const words = pattern
    .split(/\\[bBdDsSwWpP]|[^A-Za-z0-9 _/:.'"<>|=-]+/)
    .filter((word) => word !== "");
  const pumps = [...new Set([...words, ...(attack?.pumps ?? []).map(({ pump }) => pump)])];
  for (const pump of [
    ...pumps,
    "0",
    "a",
    "A",
    " ",
    "\t",
    "\n",
    "_",
    "-",
    "(",
    "'",
    '"',
    "\\",
    "a.",
    "a/",
  ])
    for (const [length, mostMs] of [
      [SHORT, SHORT_MS],
      [LONG, LONG_MS],
    ])
      for (const end of ["", "\u0000"]) {
        const ms = timeOf(new RegExp(pattern, flags), pump.repeat(length / pump.length) + end);
        if (ms > mostMs)
          return `${Math.round(ms)} ms for ${length} characters of ${JSON.stringify(pump)}`;
      }
  return null;
}

function timeOf(expression, text) {
  const before = process.cpuUsage();
  text.replace(expression, "");
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function saveJudged() {
  const before = new Set(readJudged());
  const linear = new Set();
  for (const { pattern, flags, place } of sourceFiles().flatMap((path) => expressionsOf(path))) {
    const key = `/${pattern}/${flags}`;
    if (pattern === null || flags === null || linear.has(key)) continue;
    const fault = before.has(key) ? null : await faultOf({ pattern, flags });
    if (fault === null) linear.add(key);
    else process.stderr.write(`${place}: ${key} is ${fault}\n`);
  }
  writeFileSync(JUDGED, `${JSON.stringify([...linear].sort(), null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await saveJudged();
