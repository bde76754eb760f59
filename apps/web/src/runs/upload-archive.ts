import { ErrorBody } from "@liverl/contract/app-error";
import { ImportedRun } from "@liverl/contract/import-run";
import { pageHeaders } from "#trpc/page-key.ts";

/** Sends an archive as it lies on the disk, never as a whole in memory. `onSent` hears the bytes that are out. */
export function uploadArchive(
  file: Blob,
  { onSent, signal }: { onSent: (bytes: number) => void; signal: AbortSignal },
): Promise<ImportedRun> {
  return new Promise((resolve, reject) => {
    // fetch tells nothing of how much it has sent.
    const request = new XMLHttpRequest();
    request.open("POST", "/api/v1/runs/import");
    request.setRequestHeader("content-type", "application/gzip");
    for (const [name, value] of Object.entries(pageHeaders()))
      request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      try {
        resolve(readAnswer(request.status, request.responseText));
      } catch (error) {
        reject(error);
      }
    };
    request.onerror = () => reject(new Error("The upload broke off. Nothing was imported."));
    request.onabort = () => reject(new Error("The upload was ended. Nothing was imported."));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
}

/** What an import answered. Throws the server's words where it was refused. Pure. */
export function readAnswer(status: number, text: string): ImportedRun {
  const body = parseJson(text);
  if (status === 200) return ImportedRun.parse(body);
  const refused = ErrorBody.safeParse(body);
  throw new Error(
    refused.success ? refused.data.error.message : `LiveRL answered with ${status} and no reason.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Why a file is not sent at all; null where it may be an archive. Pure. */
export function faultOfFile({ name, size }: Pick<File, "name" | "size">): string | null {
  if (size === 0) return `${name} is empty.`;
  return /\.(tar\.gz|tgz)$/i.test(name)
    ? null
    : `${name} is no .tar.gz: choose a file that “Download archive” or liverl archive wrote.`;
}
