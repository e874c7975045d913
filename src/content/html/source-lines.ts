/** A piece of HTML that was made of a text, up to the next. */
export interface SourcePiece {
  /** Where it begins in the HTML. */
  offset: number;
  /** The line of the text that it begins with; more lines of it are lines of the text. */
  line: number;
  /** True where its author wrote the HTML. */
  isHtml: boolean;
}

/** Finds the line of the text, and whether its author wrote HTML there, for offsets of the HTML, which must not decrease. */
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

/** Answers on which line of the text an offset is, counting from 1. Offsets must not decrease: it reads the text once. */
export function createLineCounter(text: string): (offset: number) => number {
  let line = 1;
  // Kept, since a long line would be looked through again for each offset in it.
  let nextLineBreak = text.indexOf("\n");
  return (offset) => {
    while (nextLineBreak !== -1 && nextLineBreak < offset) {
      line++;
      nextLineBreak = text.indexOf("\n", nextLineBreak + 1);
    }
    return line;
  };
}
