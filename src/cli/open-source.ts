import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { findNearestName } from "../catalog/nearest-name.ts";
import { toPrintable } from "../catalog/printable.ts";
import { isArchive } from "../content/files/archive-files.ts";
import { openNdjsonFile, openNdjsonInput } from "../content/readers/ndjson.ts";
import type { ContentSource, SourceOptions } from "../content/source.ts";
import { describeOtherFile } from "./describe-file.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import { processTerminal } from "./terminal.ts";

/** A question, ` Did you mean courses?`, for a path to nothing; "" where nothing beside it is like it. */
export function describeMeantPath(path: string): string {
  let names: string[] = [];
  try {
    names = readdirSync(dirname(path));
  } catch {
    return "";
  }
  const meant = findNearestName(basename(path), names);
  return meant === undefined ? "" : ` Did you mean ${toPrintable(join(dirname(path), meant))}?`;
}

/**
 * Opens what a SOURCE on the command line names: a folder, an archive, an NDJSON file, or standard input for `-`. What reads
 * files of lessons is loaded only for these, which takes as long as to import some hundred lessons. Throws CommandFailure.
 */
export async function openSource(
  path: string,
  options: SourceOptions,
  terminal = processTerminal,
): Promise<ContentSource> {
  const isFolder = path !== "-" && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder && options.dates !== undefined) throw new CommandFailure("--dates is for folders.", EXIT.usage);
  if (!isFolder && options.format !== undefined) {
    throw new CommandFailure(`--format ${options.format} is for folders.`, EXIT.usage);
  }
  if (path === "-") return openNdjsonInput(() => terminal.readInput(), options);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new CommandFailure(`There is no file or folder ${path}.${describeMeantPath(path)}`);
  if (stat.isDirectory()) {
    const { openFolderSource } = await import("../content/readers/folder.ts");
    return openFolderSource(path, options);
  }
  // What is read of a pipe is gone.
  const problem = stat.isFile() ? describeOtherFile(path) : undefined;
  if (problem !== undefined) throw new CommandFailure(problem);
  if (!stat.isFile()) return { ...openNdjsonFile(path, options), isReadOnce: true };
  if (!isArchive(path)) return openNdjsonFile(path, options);
  const { openArchiveSource } = await import("../content/readers/archive.ts");
  return openArchiveSource(path, options);
}
