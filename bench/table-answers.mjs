// How long a table of the app takes, from the last letter of a filter or the click on a column to the frame that shows the answer's rows.
import { quantile } from "./liverl.mjs";

/** Installed before any script of a page: when the last act came, and the frame in which the table was last drawn anew. */
function watchActs() {
  window.actedAt = null;
  for (const kind of ["input", "click"])
    addEventListener(
      kind,
      (event) => {
        window.actedAt = event.timeStamp;
      },
      true,
    );
}

/** Resolves, once the rows are others than `before` and of the last question, with the milliseconds from the act to their frame. */
function untilAnswered({ rows, busy, before }) {
  const isThere = () => {
    const text = [...document.querySelectorAll(rows)].slice(0, 12).map((row) => row.textContent);
    return document.querySelector(`${busy}[aria-busy="true"]`) === null && text.join() !== before;
  };
  return new Promise((done, fail) => {
    setTimeout(() => fail(new Error(`no other rows in 20 s than ${before}`)), 20_000);
    const look = () => {
      if (!isThere()) return;
      observer.disconnect();
      window.clocks.afterPaint((now) => done(now - window.actedAt));
    };
    const observer = new MutationObserver(look);
    const all = { subtree: true, childList: true, attributes: true, characterData: true };
    observer.observe(document, all);
    look();
  });
}

/** `rows` and `busy` are selectors: of the table's rows, and of what is busy while they are of the question before. */
export async function measureTable(browser, { url, rows, busy, filters, columns }) {
  const { page, close } = await browser.signedIn();
  await page.addInitScript(watchActs);
  await page.goto(url);
  await page.locator(rows).first().waitFor();
  const shown = () =>
    page.evaluate(
      (of) =>
        [...document.querySelectorAll(of)]
          .slice(0, 12)
          .map((row) => row.textContent)
          .join(),
      rows,
    );
  async function timed(act) {
    const before = await shown();
    await act();
    return page.evaluate(untilAnswered, { rows, busy, before });
  }
  const box = page.getByRole("combobox", { name: "Filter" });
  const clear = () => timed(() => page.getByLabel("Clear the filter").click());
  // As everywhere here the first one is not counted: it is the first to run its code.
  const [first, ...others] = filters;
  await timed(() => box.fill(first));
  await clear();
  const typed = {};
  for (const text of others) {
    // Whole: a letter more makes another filter, whose rows may be the same.
    typed[text] = Math.round(await timed(() => box.fill(text)));
    await clear();
  }
  await page.keyboard.press("Escape");
  const clicked = {};
  for (const column of columns) {
    const head = page.locator("[role=columnheader] .th-button, th .th-button");
    clicked[column] = Math.round(
      await timed(() => head.getByText(column, { exact: true }).click()),
    );
  }
  await close();
  return { typed, clicked, typedP95Ms: quantile(Object.values(typed), 0.95) };
}
