import { fileURLToPath } from "node:url";
import { test } from "#fixtures/showcase.ts";
import { takePictures } from "#fixtures/take-pictures.ts";

test("pictures of every page for the docs", async ({ visitor: page, liverl, showcase }) => {
  const folder = fileURLToPath(new URL("../../docs/screens", import.meta.url));
  await takePictures(page, liverl, showcase, { folder });
});
