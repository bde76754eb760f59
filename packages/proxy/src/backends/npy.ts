import { z } from "zod";

/** An array of numpy's: `data` holds its elements row by row. */
export interface NpyArray {
  /** numpy's name of the element type, `<i4`. */
  dtype: string;
  shape: number[];
  data: Buffer;
}

const MAGIC = "\u0093NUMPY";
const Header = z.object({
  descr: z.string().regex(/^[<|>=][a-zA-Z]\d+$/),
  fortran_order: z.literal(false),
  shape: z.array(z.number().int().nonnegative()),
});

/**
 * Reads a `.npy` file (numpy's format 1 to 3: magic, version, length of the header, a Python dict, elements in C order).
 * Throws with what is wrong.
 */
export function decodeNpy(file: Buffer): NpyArray {
  if (file.toString("latin1", 0, 6) !== MAGIC) throw new Error("not a .npy file");
  const isFirst = file[6] === 1;
  const start = isFirst ? 10 : 12;
  const end = start + (isFirst ? file.readUInt16LE(8) : file.readUInt32LE(8));
  const { descr, shape } = Header.parse(parseDict(file.toString("utf8", start, end)));
  const bytes = shape.reduce((product, size) => product * size, Number(descr.slice(2)));
  const data = file.subarray(end);
  if (data.length !== bytes)
    throw new Error(
      `a .npy of shape (${shape}) and type ${descr} has ${bytes} bytes, not ${data.length}`,
    );
  return { dtype: descr, shape, data };
}

/** `{'descr': '<i4', 'fortran_order': False, 'shape': (7, 2), }` */
function parseDict(text: string): unknown {
  const json = text
    .replaceAll("'", '"')
    .replace(/\bFalse\b/g, "false")
    .replace(/\bTrue\b/g, "true")
    .replaceAll("(", "[")
    .replaceAll(")", "]")
    .replace(/,\s*([\]}])/g, "$1");
  return JSON.parse(json);
}
