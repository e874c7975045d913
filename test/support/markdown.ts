// Reads the documents.

/** Fenced blocks of these kinds, which are the words after the fence (`sh`, `json`); all without kinds. */
export function listBlocks(markdown: string, ...kinds: string[]) {
  const blocks = markdown.matchAll(/^```(?<kind>\w*)\n(?<text>[\s\S]*?)\n```$/gm);
  return Array.from(blocks, ({ groups }) => groups as { kind: string; text: string }).filter(
    ({ kind }) => kinds.length === 0 || kinds.includes(kind),
  );
}

/** The cells of each table row of a document. */
export function listRows(markdown: string): string[][] {
  const lines = markdown.split("\n").filter((line) => line.startsWith("|"));
  return lines.map((line) => Array.from(line.split("|").slice(1, -1), (cell) => cell.trim()));
}

/** Replaces what differs per run, such as dates of imports. */
export function maskTimes(text: string): string {
  // A digest depends on times.
  return text.replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "TIME").replace(/"digest": "[0-9a-f]{32}"/g, '"digest": "DIGEST"');
}
