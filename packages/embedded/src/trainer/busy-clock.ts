/** How much of the time since the last lap there was something to do. Seconds. */
export class BusyClock {
  #lapBegan = performance.now();
  #busySince: number | null = null;
  #busyMs = 0;

  set isBusy(isBusy: boolean) {
    this.#move(performance.now(), isBusy);
  }

  lap(): { busyS: number; totalS: number } {
    const now = performance.now();
    this.#move(now, this.#busySince !== null);
    const lap = { busyS: this.#busyMs / 1000, totalS: (now - this.#lapBegan) / 1000 };
    this.#busyMs = 0;
    this.#lapBegan = now;
    return lap;
  }

  #move(now: number, isBusy: boolean): void {
    if (this.#busySince !== null) this.#busyMs += now - this.#busySince;
    this.#busySince = isBusy ? now : null;
  }
}
