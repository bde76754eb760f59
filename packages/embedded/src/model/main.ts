import { parseArgs } from "node:util";
import { writeModelFolder } from "#model/write-model-folder.ts";

// `node dist/model.mjs --out DIR` writes tokenizer, chat template and configuration of the embedded model.
const { values } = parseArgs({ options: { out: { type: "string" } } });
if (values.out) {
  await writeModelFolder(values.out);
} else {
  process.stderr.write("usage: model --out DIR\n");
  process.exitCode = 2;
}
