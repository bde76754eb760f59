import { z } from "zod";
import { ModelError } from "#dialects/model-error.ts";

const Part = z.looseObject({ type: z.string().optional() });
const Parts = z.array(z.union([z.string(), Part]));
/** A part of a message in any dialect. */
export type Part = z.infer<typeof Part>;

/** Parts that have no tokens here, and the word that stands for them in the prompt. */
const MEDIA: Record<string, string> = {
  image: "image",
  image_url: "image",
  input_image: "image",
  image_file: "image",
  computer_screenshot: "screenshot",
  audio: "audio",
  audio_url: "audio",
  input_audio: "audio",
  video: "video",
  video_url: "video",
  input_video: "video",
  file: "file",
  input_file: "file",
  container_upload: "file",
  document: "document",
};

/**
 * Content as one text: parts are joined by newlines, as vLLM does it. Media have no tokens here, so a note stands in
 * their place; null stays null. Throws ModelError where it is neither text nor a list of known parts.
 */
export function contentText(content: unknown, param: string): string | null {
  if (content === null || content === undefined) return null;
  if (typeof content === "string") return content;
  const parts = Parts.safeParse(content);
  if (!parts.success)
    throw ModelError.invalid(param, "Content must be a text or a list of parts with a type.");
  return parts.data.map((part, i) => partText(part, `${param}.${i}`)).join("\n");
}

/** The text of one part, of any dialect. Throws ModelError where the part has none and is no medium. */
export function partText(part: Part | string, param: string): string {
  if (typeof part === "string") return part;
  if (typeof part.text === "string") return part.text;
  const { type } = part;
  if (type === "refusal" && typeof part.refusal === "string") return part.refusal;
  if (type === "tool_reference" && typeof part.tool_name === "string") return part.tool_name;
  if (type === "thinking" && part.thinking !== undefined)
    return contentText(part.thinking, `${param}.thinking`) ?? "";
  if (type === "search_result")
    return titledText(part, contentText(part.content, `${param}.content`));
  if (type === "compaction" && typeof part.content === "string") return part.content;
  if (type !== undefined && Object.hasOwn(MEDIA, type))
    return mediumText(part, MEDIA[type] ?? "", param);
  throw ModelError.invalid(
    param,
    type === undefined
      ? "The part has no type and no text."
      : `A part of type ${JSON.stringify(type.slice(0, 60))} is not supported. Send its content as text.`,
  );
}

const Source = z.looseObject({ type: z.string().optional() });

/** Files of text are text; of all others a note names what they are. */
function mediumText(part: Part, kind: string, param: string): string {
  const source = Source.safeParse(part.source).data;
  if (source?.type === "text" && typeof source.data === "string")
    return titledText(part, source.data);
  if (source?.type === "content")
    return titledText(part, contentText(source.content, `${param}.source.content`));
  const file = { ...part, ...Source.safeParse(part.file).data };
  const text = decodedText(file.file_data) ?? decodedText(dataUrlOf(source));
  if (text !== null) return titledText({ ...part, title: part.title ?? file.filename }, text);
  const name = [part.title, file.filename, file.file_id].find((one) => typeof one === "string");
  const context = typeof part.context === "string" ? `${part.context}\n` : "";
  return `${context}[${kind}${name === undefined ? "" : ` ${name}`} omitted]`;
}

function titledText({ title, context, source }: Part, text: string | null): string {
  const lines = [title, typeof source === "string" ? source : undefined, context, text];
  return lines.filter((line) => typeof line === "string" && line !== "").join("\n");
}

const dataUrlOf = (source: z.infer<typeof Source> | undefined) =>
  source?.type === "base64" ? `data:${source.media_type};base64,${source.data}` : null;

function decodedText(url: unknown): string | null {
  const data = typeof url === "string" ? /^data:text\/[^,]{0,200};base64,/.exec(url) : null;
  return data ? Buffer.from(data.input.slice(data[0].length), "base64").toString("utf8") : null;
}
