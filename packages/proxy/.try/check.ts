import { readFileSync } from "node:fs";
import { loadRenderer } from "../src/renderer/load-renderer.ts";
import { parseTools } from "../src/renderer/self-check.ts";
import { ChatEncoder } from "../../embedded/src/chat/chat-encoder.ts";
import { REPAIR_SYSTEM_PROMPT, REPAIR_TOOLS, instructionOf, repairTask, failureMessage } from "../../contract/src/repair-task.ts";
const dir = "/tmp/proxy/model";
const r = await loadRenderer(dir);
const e = new ChatEncoder({ tokenizerText: readFileSync(dir + "/tokenizer.json", "utf8"), chatTemplate: readFileSync(dir + "/chat_template.jinja", "utf8") });
const tools = parseTools(JSON.stringify(REPAIR_TOOLS));
let bad = 0; let n = 0;
const t0 = process.cpuUsage();
for (let s = 0; s < 200; s++) {
  const task = repairTask(s);
  const messages = [{ role: "system" as const, content: REPAIR_SYSTEM_PROMPT }, { role: "user" as const, content: instructionOf(task) }];
  const a = await r.renderRoot(messages, tools);
  const b = await e.encode(messages, REPAIR_TOOLS, true);
  if (a.join() !== b.join()) { bad++; if (bad < 3) console.log(a.map((x) => r.decode([x])), b.map((x) => r.decode([x]))); }
  for (const text of ["ok", "PASS", "ERROR bad call", failureMessage(task, 0)]) {
    n++;
    const c = await r.renderSuffix([{ role: "tool", tool_call_id: "c", content: text }], tools, true);
    const d = await e.encodeToolAnswer(text);
    if (c.join() !== d.join()) { bad++; if (bad < 3) console.log(c, d); }
  }
}
console.log({ bad, n, stop: r.stopIds, id: r.identity, cpu: process.cpuUsage(t0) });
