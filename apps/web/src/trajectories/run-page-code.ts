/** Next fetches a page's code ahead and runs it after the press only: here it runs before. What fails the press says. */
export function runPageCode(): void {
  import("#trajectories/trajectory-page.tsx").catch(() => undefined);
}
