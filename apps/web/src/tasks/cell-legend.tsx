import styles from "#tasks/tasks.module.css";

/** What the cells of a strip mean: as `drawCells` draws them. */
export function CellLegend() {
  return (
    <span className={styles.legend} role="note" aria-label="Cells">
      <span>none solved</span>
      <span className={styles.scale} aria-hidden="true">
        <i />
        <i />
        <i />
        <i />
        <i />
      </span>
      <span>all solved</span>
      <i className={`${styles.cell} hatch`} aria-hidden="true" />
      <span>no reward</span>
      <i className={`${styles.cell} ${styles.flagged}`} aria-hidden="true" />
      <span>flagged</span>
    </span>
  );
}
