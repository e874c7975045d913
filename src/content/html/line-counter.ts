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
