/** Answers on which line of the text an offset is, counting from 1. Offsets must not decrease: it reads the text once. */
export function createLineCounter(text: string): (offset: number) => number {
  let line = 1;
  let countedTo = 0;
  return (offset) => {
    for (;;) {
      const lineBreak = text.indexOf("\n", countedTo);
      if (lineBreak === -1 || lineBreak >= offset) return line;
      line++;
      countedTo = lineBreak + 1;
    }
  };
}
