/** Writes protocol-buffer wire format: as much of it as an ONNX model needs. */
export class ProtobufWriter {
  readonly #parts: Uint8Array[] = [];
  #sizeBytes = 0;

  #push(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#sizeBytes += bytes.length;
  }

  #varint(value: number | bigint): void {
    let rest = BigInt.asUintN(64, BigInt(value));
    const bytes: number[] = [];
    while (rest > 127n) {
      bytes.push(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    bytes.push(Number(rest));
    this.#push(Uint8Array.from(bytes));
  }

  #tag(field: number, wireType: number): void {
    this.#varint((field << 3) | wireType);
  }

  int(field: number, value: number | bigint): this {
    this.#tag(field, 0);
    this.#varint(value);
    return this;
  }

  float(field: number, value: number): this {
    this.#tag(field, 5);
    this.#push(new Uint8Array(new Float32Array([value]).buffer));
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.#tag(field, 2);
    this.#varint(value.length);
    this.#push(value);
    return this;
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  message(field: number, value: ProtobufWriter): this {
    return this.bytes(field, value.finish());
  }

  finish(): Uint8Array {
    const all = new Uint8Array(this.#sizeBytes);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}
