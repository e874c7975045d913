/** A piece of HTML generated from a range of text. It extends to the next piece. */
export interface SourcePiece {
  /** The start offset in the HTML. */
  offset: number;
  /** The first line of the range in the text. Each line break in the HTML matches one in the text. */
  line: number;
  /** True for the author's own HTML. */
  isHtml: boolean;
}

/**
 * Returns a function that maps HTML offsets to lines of the text, and tells whether the author wrote HTML there.
 * Offsets must not decrease from call to call.
 */
export function createSourceFinder(
  html: string,
  pieces: readonly SourcePiece[],
): (offset: number) => Pick<SourcePiece, "line" | "isHtml"> {
  const lineAt = createLineCounter(html);
  let index = -1;
  let shift = 0;
  return (offset) => {
    const previous = index;
    while ((pieces[index + 1]?.offset ?? Infinity) <= offset) index++;
    const piece = pieces[index];
    if (piece === undefined) return { line: 1, isHtml: false };
    if (index !== previous) shift = piece.line - lineAt(piece.offset);
    return { line: lineAt(offset) + shift, isHtml: piece.isHtml };
  };
}

/** Returns a function that maps offsets, which must not decrease from call to call, to lines from 1. */
export function createLineCounter(text: string): (offset: number) => number {
  let line = 1;
  // Cached: many offsets can share a long line.
  let nextLineBreak = text.indexOf("\n");
  return (offset) => {
    while (nextLineBreak !== -1 && nextLineBreak < offset) {
      line++;
      nextLineBreak = text.indexOf("\n", nextLineBreak + 1);
    }
    return line;
  };
}
