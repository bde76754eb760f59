import { AppError } from "@liverl/contract/app-error";
import type { MlflowRun } from "#mlflow/build-run.ts";
import { type Field, parseField } from "#mlflow/run-field.ts";

/** A field, an operator, and a value: text in quotes, a number, or a list of texts. */
const CLAUSE =
  /^\s*((?:\w+\.)?(?:"[^"]*"|`[^`]*`|[\w./@-]+))\s*(!=|<=|>=|=|<|>|\bNOT\s+IN\b|\bIN\b|\bLIKE\b|\bILIKE\b)\s*('[^']*'|"[^"]*"|\([^()]*\)|[-+.\deE]+)\s*/i;
const AND = /^AND\b/i;

/** Whether a run is meant by a filter string: clauses joined by AND, as https://mlflow.org/docs/latest/search-runs has them. */
export function parseFilter(filter: string): (run: MlflowRun) => boolean {
  const tests: ((run: MlflowRun) => boolean)[] = [];
  for (let rest = filter.trim(); rest !== ""; ) {
    const found = CLAUSE.exec(rest);
    const [whole = "", name = "", operator = "", value = ""] = found ?? [];
    if (!found) refuse(rest);
    tests.push(buildTest(name, operator.toUpperCase().replace(/\s+/g, " "), value));
    rest = rest.slice(whole.length);
    if (rest === "") break;
    const and = AND.exec(rest);
    if (!and) refuse(rest);
    rest = rest.slice(and[0].length).trimStart();
    if (rest === "") refuse(filter);
  }
  return (run) => tests.every((test) => test(run));
}

function buildTest(name: string, operator: string, value: string): (run: MlflowRun) => boolean {
  const { field, isNumber } = parseField(name);
  if (operator === "IN" || operator === "NOT IN") {
    const list = new Set(
      [...value.matchAll(/'([^']*)'|"([^"]*)"/g)].map((one) => one[1] ?? one[2]),
    );
    return (run) => list.has(String(field(run) ?? "")) === (operator === "IN");
  }
  if (isNumber) return compareNumbers(field, operator, value);
  const wanted = /^(['"])(.*)\1$/s.exec(value)?.[2];
  if (wanted === undefined) refuse(`${name} ${operator} ${value}`);
  return compareTexts(field, operator, wanted);
}

function compareNumbers(field: Field, operator: string, value: string) {
  const wanted = Number(value.replace(/^(['"])(.*)\1$/, "$2"));
  const tests: Record<string, (given: number) => boolean> = {
    "=": (given) => given === wanted,
    "!=": (given) => given !== wanted,
    "<": (given) => given < wanted,
    "<=": (given) => given <= wanted,
    ">": (given) => given > wanted,
    ">=": (given) => given >= wanted,
  };
  const test = tests[operator];
  if (!test || Number.isNaN(wanted)) refuse(`${operator} ${value}`);
  return (run: MlflowRun) => {
    const given = field(run);
    return given !== undefined && test(Number(given));
  };
}

function compareTexts(field: Field, operator: string, wanted: string) {
  if (operator === "=") return (run: MlflowRun) => field(run) === wanted;
  if (operator === "!=")
    return (run: MlflowRun) => field(run) !== undefined && field(run) !== wanted;
  if (operator !== "LIKE" && operator !== "ILIKE") refuse(`${operator} '${wanted}'`);
  const [fold, pattern] =
    operator === "LIKE"
      ? [(text: string) => text, wanted]
      : [(text: string) => text.toLowerCase(), wanted.toLowerCase()];
  return (run: MlflowRun) => {
    const given = field(run);
    return given !== undefined && isLike(fold(String(given)), pattern);
  };
}

/** SQL's LIKE: % is any text, _ is any character. Without backtracking over more than the last %, so that no pattern takes long. */
function isLike(text: string, pattern: string): boolean {
  let at = 0;
  let star = -1;
  let retry = 0;
  for (let i = 0; i < text.length; ) {
    if (pattern[at] === "%") {
      star = at++;
      retry = i;
    } else if (at < pattern.length && (pattern[at] === "_" || pattern[at] === text[i])) {
      at++;
      i++;
    } else if (star !== -1) {
      at = star + 1;
      i = ++retry;
    } else return false;
  }
  while (pattern[at] === "%") at++;
  return at === pattern.length;
}

function refuse(what: string): never {
  throw new AppError("BAD_REQUEST", {
    userMessage: `The filter is not understood at: ${what.slice(0, 200)}. Write clauses like metrics.loss < 0.5 AND params.model = 'm', joined by AND.`,
  });
}
