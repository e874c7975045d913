// A lesson's path in its source: a file, or a part of one. Imports derive ids from it and use it to detect moves.
import { limitMarks } from "./fold-name.ts";

/** Returns a path such as `course.md#water`. Part names contain no dot or `#`, so this path never equals a file's. */
export function toPartPath(file: string, part: string): string {
  return `${file}#${limitMarks(part)}`;
}

export function splitSourcePath(path: string): { file: string; part: string | undefined } {
  const [, file, part] = /^(.+)#([^.#]+)$/s.exec(path) ?? [];
  return { file: file ?? path, part };
}
