/** Migrated once by the global setup, copied for each test file. */
export const TEMPLATE_DATABASE = "liverl_test_base";
