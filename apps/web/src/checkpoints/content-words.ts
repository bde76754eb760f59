/** Parts of a checkpoint in the words of its reader, by the names of files and folders that hold them. */
const PARTS: readonly (readonly [word: string, holds: RegExp])[] = [
  ["model", /^(model\.safetensors|model-|actor\/|pytorch_model)/],
  ["optimiser", /^(optimizer|actor\/)/],
  ["critic", /^critic\//],
  ["data state", /^(trainer_state\.json|data\.pt)/],
  ["merged model", /^hf\//],
];

/** `model · optimiser · data state`; the names themselves where none of them is known. Pure. */
export function contentWords(contents: readonly string[]): string {
  const parts = PARTS.filter(([, holds]) => contents.some((name) => holds.test(name)));
  const words = parts.length > 0 ? parts.map(([word]) => word) : contents;
  return words.length === 0 ? "—" : words.join(" · ");
}
