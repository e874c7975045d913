// Where in a source a lesson was read: a file, or a part of one. Ids are made from it, and moves are found by it.

/** `course.md#water`. The name of a part holds no dot and no `#`, so no path of a whole file reads like one. */
export function toPartPath(file: string, part: string): string {
  return `${file}#${part}`;
}

export function splitSourcePath(path: string): { file: string; part: string | undefined } {
  const [, file, part] = /^(.+)#([^.#]+)$/s.exec(path) ?? [];
  return { file: file ?? path, part };
}
