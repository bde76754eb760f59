/** Tests, and what tells their runners how to run them. */
const TESTS =
  /(^|\/)(tests?|__tests__|specs?|testdata)\/|(^|\/)(test_[^/]*\.py|[^/]*_test\.(py|go|rs|cc?|cpp)|[^/]*\.(test|spec)\.[cm]?[jt]sx?|[^/]*Tests?\.java|conftest\.py|pytest\.ini|tox\.ini|noxfile\.py|(jest|vitest|mocha|karma)\.config\.[^/]+|\.mocharc[^/]*)$/;

/** By its path alone. Pure. */
export const isTestFile = (path: string): boolean => TESTS.test(path);
