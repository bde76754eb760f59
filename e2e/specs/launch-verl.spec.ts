import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "#fixtures/liverl.ts";

/** The launch form of verl on a machine without a GPU: everything but the launch itself. */
test.describe.configure({ mode: "serial" });

/** Shape of Qwen2.5-7B: 28 attention heads, 4 KV heads. */
const CONFIG = {
  model_type: "qwen2",
  num_hidden_layers: 28,
  hidden_size: 3584,
  intermediate_size: 18_944,
  num_attention_heads: 28,
  num_key_value_heads: 4,
  vocab_size: 152_064,
  max_position_embeddings: 131_072,
  torch_dtype: "bfloat16",
};

test("a rule of verl says what is wrong, and its button mends it", async ({
  signedIn: page,
  liverl,
}) => {
  const model = join(liverl.dataDir, "model");
  await mkdir(model, { recursive: true });
  await writeFile(join(model, "config.json"), JSON.stringify(CONFIG));
  await page.goto(`${liverl.url}/p/quickstart/launch?preset=verl-sync`);
  await page.getByRole("textbox", { name: "Folder" }).fill(model);
  await page.getByRole("textbox", { name: "Tensor parallel" }).first().fill("8");
  const preflight = page.getByRole("region", { name: "Preflight" });
  await expect(preflight.getByText("Tensor parallel 8 does not divide 4 KV heads")).toBeVisible();
  await preflight.getByRole("button", { name: "Set to 4" }).click();
  await expect(preflight.getByText("4 divide by TP 4.")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Tensor parallel" }).first()).toHaveValue("4");
  await expect(page.getByRole("region", { name: "Memory" }).getByText("KV cache")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Launch/ })).toBeDisabled();
});

test("a launch script is read into the draft, and another driver of verl keeps it", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(`${liverl.url}/p/quickstart/launch?preset=verl-official`);
  await page.getByRole("button", { name: "Paste launch script" }).click();
  const dialog = page.getByRole("dialog", { name: "Paste a launch script" });
  await dialog
    .getByRole("textbox")
    .fill(
      "export TRAIN_BSZ=8 N_RESP=4\nHARBOR_AGENT_NAME=null\nHARBOR_AGENT_IMPORT_PATH=agents.own:Agent\nSOMETHING_ELSE=3 HF_TOKEN=x\n+trainer.extra_key=7",
    );
  await dialog.getByRole("button", { name: "Read" }).click();
  await dialog.getByText("1 value not used").click();
  await expect(dialog.getByText(/not known/)).toBeVisible();
  await dialog.getByRole("button", { name: "Set 4 values" }).click();
  await expect(
    page.getByText(/4 values taken from the script, onto the preset .*\. Left: HF_TOKEN\./),
  ).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Prompts per step" })).toHaveValue("8");
  await expect(page.getByRole("textbox", { name: "import path" })).toHaveValue("agents.own:Agent");
  await page.getByRole("button", { name: "Ray job" }).click();
  await expect(page.getByRole("textbox", { name: "Ray dashboard" })).toHaveValue(
    "http://127.0.0.1:8265",
  );
  await expect(page.getByRole("textbox", { name: "Prompts per step" })).toHaveValue("8");
  await expect(page.getByRole("textbox", { name: "Hydra overrides" })).toHaveValue(
    "+trainer.extra_key=7",
  );
  await page.getByRole("button", { name: "YAML", exact: true }).click();
  await expect(page.getByLabel("Launch spec as YAML")).toContainText("driver: ray-job");
  await page.getByRole("button", { name: "Form", exact: true }).click();
  await page.getByRole("button", { name: "Embedded" }).click();
  await expect(page.getByRole("textbox", { name: "Warm-up" })).toHaveValue("700");
});

test("a draft is found again after the page was left, and a script can stand on verl's defaults", async ({
  signedIn: page,
  liverl,
}) => {
  await page.goto(`${liverl.url}/p/quickstart/launch?preset=verl-sync`);
  await page.getByRole("button", { name: "Paste launch script" }).click();
  const dialog = page.getByRole("dialog", { name: "Paste a launch script" });
  await dialog
    .getByRole("textbox")
    .fill(
      "export PYTHONPATH=/src\r\npython3 -m verl.trainer.main_ppo \\\r\n  trainer.experiment_name=Mine_1 data.train_batch_size=64 trainer.logger='[wandb]'",
    );
  await dialog.getByRole("button", { name: "Read" }).click();
  await dialog.getByRole("radio", { name: /verl's own default/ }).click();
  await dialog.getByRole("button", { name: /^Set \d values/ }).click();
  await expect(page.getByText(/onto verl's own defaults/)).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Prompts per step" })).toHaveValue("64");
  await expect(page.getByRole("textbox", { name: "Name", exact: true })).toHaveValue("mine_1");
  const preflight = page.getByRole("region", { name: "Preflight" });
  await preflight.getByRole("button", { name: "Log to wandb, file" }).click();
  await expect(page.getByRole("textbox", { name: "Hydra overrides" })).toHaveValue(
    'trainer.logger=["wandb","file"]',
  );

  await page.goto(`${liverl.url}/p/quickstart/runs`);
  await page.goto(`${liverl.url}/p/quickstart/launch`);
  await expect(page.getByRole("textbox", { name: "Name", exact: true })).toHaveValue("mine_1");
  await page.getByRole("button", { name: "Start again" }).click();
  await expect(page.getByRole("textbox", { name: "Name", exact: true })).not.toHaveValue("mine_1");
  await expect(page.getByRole("textbox", { name: "Prompts per step" })).toHaveValue("16");
});
