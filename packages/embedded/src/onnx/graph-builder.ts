import { ProtobufWriter } from "#onnx/protobuf-writer.ts";

/** Name of a value in a graph. */
export type Value = string;
export type ElementType = "float32" | "int32" | "int64";
/** A number is fixed; a string names a dimension that is known at run time. */
export type Dimension = number | string;
export type Attribute = number | string | number[] | { float: number };
type ConstantBytes = Float32Array | Int32Array | BigInt64Array;

// Numbers of onnx.proto: TensorProto.DataType and AttributeProto.AttributeType.
const ELEMENT_TYPE = { float32: 1, int32: 6, int64: 7 } as const;
const ATTRIBUTE_TYPE = { float: 1, int: 2, string: 3, ints: 7 } as const;
const IR_VERSION = 8;
const OPSET = 17;

interface GraphNode {
  operator: string;
  domain: string;
  inputs: Value[];
  outputs: Value[];
  attributes: Record<string, Attribute>;
}

/** Collects operators, constants, inputs and outputs, and writes them as one ONNX model. */
export class GraphBuilder {
  readonly #nodes: GraphNode[] = [];
  readonly #constants: ProtobufWriter[] = [];
  readonly #inputs: ProtobufWriter[] = [];
  readonly #outputs: ProtobufWriter[] = [];
  readonly #outputNames = new Map<Value, string>();
  #named = 0;

  #name(prefix: string): Value {
    return `${prefix}_${this.#named++}`;
  }

  input(name: string, type: ElementType, shape: readonly Dimension[]): Value {
    this.#inputs.push(valueInfo(name, type, shape));
    return name;
  }

  /** The value itself gets the name: an Identity in between would break outputs that share memory with an input. */
  output(value: Value, name: string, type: ElementType, shape: readonly Dimension[]): void {
    if (this.#outputNames.has(value)) throw new Error(`${value} is an output already`);
    this.#outputNames.set(value, name);
    this.#outputs.push(valueInfo(name, type, shape));
  }

  constant(type: ElementType, shape: readonly number[], content: ConstantBytes): Value {
    const name = this.#name("constant");
    const tensor = new ProtobufWriter();
    for (const size of shape) tensor.int(1, size);
    tensor.int(2, ELEMENT_TYPE[type]).text(8, name);
    tensor.bytes(9, new Uint8Array(content.buffer, content.byteOffset, content.byteLength));
    this.#constants.push(tensor);
    return name;
  }

  scalar(value: number): Value {
    return this.constant("float32", [], new Float32Array([value]));
  }

  /** A list of int64, as shapes and axes are given. */
  integers(values: readonly number[]): Value {
    return this.constant("int64", [values.length], BigInt64Array.from(values.map(BigInt)));
  }

  /** One operator with several outputs. An empty name leaves an optional output out. */
  operators(
    operator: string,
    inputs: Value[],
    outputCount: number,
    attributes: Record<string, Attribute> = {},
    domain = "",
  ): Value[] {
    const outputs = Array.from({ length: outputCount }, () => this.#name(operator));
    this.#nodes.push({ operator, domain, inputs, outputs, attributes });
    return outputs;
  }

  operator(
    operator: string,
    inputs: Value[],
    attributes: Record<string, Attribute> = {},
    domain = "",
  ): Value {
    return this.operators(operator, inputs, 1, attributes, domain)[0] ?? "";
  }

  /** The model's bytes, as `InferenceSession.create` takes them. */
  build(): Uint8Array {
    const graph = new ProtobufWriter();
    for (const node of this.#nodes) graph.message(1, nodeMessage(node, this.#outputNames));
    graph.text(2, "liverl");
    for (const constant of this.#constants) graph.message(5, constant);
    for (const input of this.#inputs) graph.message(11, input);
    for (const output of this.#outputs) graph.message(12, output);
    return new ProtobufWriter()
      .int(1, IR_VERSION)
      .text(2, "liverl")
      .message(7, graph)
      .message(8, new ProtobufWriter().text(1, "").int(2, OPSET))
      .message(8, new ProtobufWriter().text(1, "com.microsoft").int(2, 1))
      .finish();
  }
}

function nodeMessage(node: GraphNode, outputNames: ReadonlyMap<Value, string>): ProtobufWriter {
  const message = new ProtobufWriter();
  for (const input of node.inputs) message.text(1, outputNames.get(input) ?? input);
  for (const output of node.outputs) message.text(2, outputNames.get(output) ?? output);
  message.text(4, node.operator);
  for (const [name, value] of Object.entries(node.attributes))
    message.message(5, attributeMessage(name, value));
  if (node.domain) message.text(7, node.domain);
  return message;
}

function attributeMessage(name: string, value: Attribute): ProtobufWriter {
  const message = new ProtobufWriter().text(1, name);
  if (typeof value === "number") return message.int(3, value).int(20, ATTRIBUTE_TYPE.int);
  if (typeof value === "string") return message.text(4, value).int(20, ATTRIBUTE_TYPE.string);
  if (Array.isArray(value)) {
    for (const entry of value) message.int(8, entry);
    return message.int(20, ATTRIBUTE_TYPE.ints);
  }
  return message.float(2, value.float).int(20, ATTRIBUTE_TYPE.float);
}

function valueInfo(name: string, type: ElementType, shape: readonly Dimension[]): ProtobufWriter {
  const dimensions = new ProtobufWriter();
  for (const size of shape) {
    const dimension = new ProtobufWriter();
    if (typeof size === "string") dimension.text(2, size);
    else dimension.int(1, size);
    dimensions.message(1, dimension);
  }
  const tensor = new ProtobufWriter().int(1, ELEMENT_TYPE[type]).message(2, dimensions);
  return new ProtobufWriter().text(1, name).message(2, new ProtobufWriter().message(1, tensor));
}
