/** HTML generated from a range of text, up to the next piece. */
export interface SourcePiece {
  /** The start offset in the HTML. */
  offset: number;
  /** The first line in the text; following lines correspond. */
  line: number;
  /** True for the author's own HTML. */
  isHtml: boolean;
}

/** Maps HTML offsets, which must not decrease, to lines of the text and to whether the author wrote HTML there. */
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

/** Maps offsets, which must not decrease, to lines from 1 in one pass. */
export function createLineCounter(text: string): (offset: number) => number {
  let line = 1;
  // Cached, since many offsets may share a long line.
  let nextLineBreak = text.indexOf("\n");
  return (offset) => {
    while (nextLineBreak !== -1 && nextLineBreak < offset) {
      line++;
      nextLineBreak = text.indexOf("\n", nextLineBreak + 1);
    }
    return line;
  };
}
