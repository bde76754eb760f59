/** Values of a statement, in the order of their `$n`. The only way by which a value comes into SQL. */
export class SqlValues {
  readonly list: unknown[] = [];

  /** The place that stands for the value. */
  add(value: unknown): string {
    this.list.push(value);
    return `$${this.list.length}`;
  }
}
