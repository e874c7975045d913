// The path of a lesson in its source: a file, or a part of one. Ids derive from it, and moves are detected by it.

/** `course.md#water`. Part names hold no dot and no `#`, so a part never equals a file path. */
export function toPartPath(file: string, part: string): string {
  return `${file}#${part}`;
}

export function splitSourcePath(path: string): { file: string; part: string | undefined } {
  const [, file, part] = /^(.+)#([^.#]+)$/s.exec(path) ?? [];
  return { file: file ?? path, part };
}
