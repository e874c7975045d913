// Notebooks for tests, and what readers get of them.
import { readFolder, writeFolder } from "./written-folder.ts";

export type Json = Record<string, unknown>;

export const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").toString("base64");
const withLines = (text: string): string[] => text.split(/(?<=\n)/);
export const markdown = (text: string, more: Json = {}): Json => ({
  cell_type: "markdown",
  metadata: {},
  source: withLines(text),
  ...more,
});
export const code = (text: string, outputs: Json[] = [], metadata: Json = {}): Json => {
  return { cell_type: "code", execution_count: 1, metadata, outputs, source: withLines(text) };
};
export const display = (data: Json): Json => ({ output_type: "display_data", data, metadata: {} });
export const stream = (text: string, name = "stdout"): Json => ({ output_type: "stream", name, text: withLines(text) });
export const tagged = (...tags: string[]): Json => ({ tags });
export const notebook = (cells: Json[], metadata: Json = { language_info: { name: "python" } }): string =>
  JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1);

export async function readNotebook(text: string, options: Parameters<typeof readFolder>[2] = {}) {
  const root = writeFolder({ "01-start.ipynb": text, "02-end.md": "x" });
  const { lessons, problems, ...rest } = await readFolder(root, undefined, options);
  return { lesson: lessons.find(({ sourcePath }) => sourcePath === "01-start.ipynb"), problems, ...rest };
}
export const htmlOf = async (...cells: Json[]): Promise<string | undefined> =>
  (await readNotebook(notebook(cells))).lesson?.additionalText;
