// Where in a source a lesson was read: a file, or a part of one. Ids are made from it, and moves are found by it.

/**
 * The source path of a part of a file: `course.md#water`. A part's name holds no dot and no `#`, so that no path of a whole
 * lesson file, which ends with its format, reads like one.
 */
export function toPartPath(file: string, part: string): string {
  return `${file}#${part}`;
}

/** The file of a source path, and the name of its part; undefined for a whole file. */
export function splitSourcePath(path: string): { file: string; part: string | undefined } {
  const [, file, part] = /^(.+)#([^.#]+)$/s.exec(path) ?? [];
  return { file: file ?? path, part };
}
