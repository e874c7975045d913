// Reads the documents.

export interface Block {
  /** The word after the fence: `sh`, `json`. */
  kind: string;
  text: string;
}

/** Fenced blocks of these kinds; all without kinds. */
export function listBlocks(markdown: string, ...kinds: string[]): Block[] {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)\n```$/gm)]
    .map((match) => ({ kind: match[1] ?? "", text: match[2] ?? "" }))
    .filter((block) => kinds.length === 0 || kinds.includes(block.kind));
}

/** The cells of each table row of a document. */
export function listRows(markdown: string): string[][] {
  return markdown
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** Replaces what differs per run, such as dates of imports. */
export function maskTimes(text: string): string {
  // A digest depends on times.
  return text.replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "TIME").replace(/"digest": "[0-9a-f]{32}"/g, '"digest": "DIGEST"');
}
