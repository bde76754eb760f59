/**
 * SQL: whether a run's trainer asks for rollouts ahead of the update that takes them, and writes down what each update took.
 * A rollout of such a run is of the step that trained it, and of none before; of any other, of the step that asked.
 */
export const ASKS_AHEAD = `(driver = 'embedded' AND spec #>> '{algorithm,trainer_mode}' <> 'sync')`;
