/** What a template is parsed to. Shapes follow jinja2's `nodes`. */
export type Expression =
  | { kind: "constant"; value: string | number | bigint | boolean | null }
  | { kind: "float"; value: number }
  | { kind: "name"; name: string }
  | { kind: "list"; elements: Expression[] }
  | { kind: "tuple"; elements: Expression[] }
  | { kind: "dict"; entries: [key: Expression, value: Expression][] }
  | { kind: "attribute"; object: Expression; name: string }
  | { kind: "subscript"; object: Expression; key: Expression }
  | { kind: "slice"; object: Expression; bounds: (Expression | null)[] }
  | { kind: "call"; callee: Expression; given: Arguments }
  | { kind: "filter"; operand: Expression; name: string; given: Arguments }
  | { kind: "test"; operand: Expression; name: string; given: Arguments; negated: boolean }
  | { kind: "unary"; operator: "-" | "+" | "not"; operand: Expression }
  | { kind: "binary"; operator: string; left: Expression; right: Expression }
  | { kind: "compare"; first: Expression; rest: [operator: string, operand: Expression][] }
  | { kind: "concat"; parts: Expression[] }
  | { kind: "condition"; test: Expression; whenTrue: Expression; otherwise: Expression | null };

export interface Arguments {
  positional: Expression[];
  named: [name: string, value: Expression][];
  spread: Expression | null;
  namedSpread: Expression | null;
}

/** Where a value is put: a name, an attribute of a namespace, or several at once. */
export type Target =
  | { kind: "name"; name: string }
  | { kind: "namespace"; name: string; attribute: string }
  | { kind: "tuple"; elements: Target[] };

export interface Parameter {
  name: string;
  fallback: Expression | null;
}

export type Statement =
  | { kind: "text"; text: string }
  | { kind: "print"; value: Expression }
  | { kind: "if"; branches: [test: Expression, body: Statement[]][]; otherwise: Statement[] }
  | {
      kind: "for";
      target: Target;
      iterable: Expression;
      test: Expression | null;
      body: Statement[];
      otherwise: Statement[];
    }
  | { kind: "set"; target: Target; value: Expression }
  | { kind: "set-block"; target: Target; filters: FilterStep[]; body: Statement[] }
  | { kind: "macro"; name: string; parameters: Parameter[]; body: Statement[] }
  | { kind: "call-block"; call: Expression; parameters: Parameter[]; body: Statement[] }
  | { kind: "filter-block"; filters: FilterStep[]; body: Statement[] }
  | { kind: "with"; targets: [Target, Expression][]; body: Statement[] }
  | { kind: "scope"; body: Statement[] }
  | { kind: "break" }
  | { kind: "continue" };

export interface FilterStep {
  name: string;
  given: Arguments;
}
