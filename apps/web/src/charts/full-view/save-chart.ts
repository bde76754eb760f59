import type { ColorOf } from "#charts/theme-colors.ts";

export type LegendEntry = { color: string; text: string };

const PAD = 16;
const HEAD = 44;
const LEGEND_LINE = 18;
const FONT = "'Geist Variable', Geist, system-ui, sans-serif";
const SVG = "http://www.w3.org/2000/svg";

/**
 * The chart as a picture of its own: with its title, its legend and a ground, and with the colours of the theme that is shown in place
 * of the page's variables, which no other program knows.
 */
export function chartAsSvg(
  chart: SVGSVGElement,
  {
    title,
    note,
    legend,
    colorOf,
  }: {
    title: string;
    note: string;
    legend: readonly LegendEntry[];
    colorOf: ColorOf;
  },
): { text: string; width: number; height: number } {
  const inside = { width: chart.width.baseVal.value, height: chart.height.baseVal.value };
  const width = inside.width + PAD * 2;
  const height = HEAD + inside.height + legend.length * LEGEND_LINE + PAD;
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of Object.entries({
    ...{ xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` },
    ...{ "font-family": FONT, "font-size": 11 },
  }))
    svg.setAttribute(name, String(value));
  svg.append(
    shape("rect", { width, height, fill: "var(--surface)" }),
    words(title, { x: PAD, y: 22, "font-size": 14, "font-weight": 600, fill: "var(--ink)" }),
    words(note, { x: PAD, y: 37, fill: "var(--ink-3)" }),
  );
  const copy = chart.cloneNode(true) as SVGSVGElement;
  for (const [name, value] of Object.entries({ ...inside, x: PAD, y: HEAD }))
    copy.setAttribute(name, String(value));
  copy.removeAttribute("style");
  for (const label of copy.querySelectorAll("text.ax")) {
    label.setAttribute("fill", label.matches(".end-name") ? "var(--ink-2)" : "var(--ink-3)");
    label.setAttribute("font-size", "10.5");
  }
  svg.append(copy);
  for (const [place, { color, text }] of legend.entries()) {
    const y = HEAD + inside.height + 12 + place * LEGEND_LINE;
    svg.append(
      shape("rect", { x: PAD, y: y - 8, width: 9, height: 9, rx: 2, fill: `var(${color})` }),
      words(text, { x: PAD + 16, y, fill: "var(--ink-2)" }),
    );
  }
  const text = new XMLSerializer()
    .serializeToString(svg)
    .replace(/var\((--[\w-]+)\)/g, (_, name: string) => colorOf(name));
  return { text, width, height };
}

function shape(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

function words(text: string, attributes: Record<string, string | number>): SVGElement {
  const made = shape("text", attributes);
  made.textContent = text;
  return made;
}

/** Sharp on a screen of twice the points. */
const PNG_SCALE = 2;

/** The same picture as PNG. Throws where the browser cannot draw it. */
export async function svgAsPng(picture: {
  text: string;
  width: number;
  height: number;
}): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture.text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = picture.width * PNG_SCALE;
  canvas.height = picture.height * PNG_SCALE;
  const context = canvas.getContext("2d");
  context?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (blob === null) throw new Error("The browser could not draw the picture. Save it as SVG.");
  return blob;
}

/** Hands a file to the browser. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the file by the time that this runs.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
