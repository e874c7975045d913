// A lesson's path in its source: a file, or a part of one. Ids derive from it, and it reveals moves.

/** `course.md#water`. Part names contain no dot or `#`, so a part's path never equals a file's. */
export function toPartPath(file: string, part: string): string {
  return `${file}#${part}`;
}

export function splitSourcePath(path: string): { file: string; part: string | undefined } {
  const [, file, part] = /^(.+)#([^.#]+)$/s.exec(path) ?? [];
  return { file: file ?? path, part };
}
