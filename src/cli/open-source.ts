import { statSync } from "node:fs";
import { isArchive } from "../content/files/archive-files.ts";
import { openArchiveSource } from "../content/readers/archive.ts";
import { openFolderSource } from "../content/readers/folder.ts";
import { openNdjsonFile, openNdjsonInput } from "../content/readers/ndjson.ts";
import type { ContentSource, SourceOptions } from "../content/source.ts";
import { describeOtherFile } from "./describe-file.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import { processTerminal } from "./terminal.ts";

/** Opens what a SOURCE on the command line names: a folder, an archive, an NDJSON file, or standard input for `-`. Throws CommandFailure. */
export function openSource(path: string, options: SourceOptions, terminal = processTerminal): ContentSource {
  const isFolder = path !== "-" && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder && options.dates !== undefined) throw new CommandFailure("--dates is for folders.", EXIT.usage);
  if (!isFolder && options.format !== undefined) {
    throw new CommandFailure(`--format ${options.format} is for folders.`, EXIT.usage);
  }
  if (path === "-") return openNdjsonInput(() => terminal.readInput(), options);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new CommandFailure(`There is no file or folder ${path}.`);
  if (stat.isDirectory()) return openFolderSource(path, options);
  // What is read of a pipe is gone.
  const problem = stat.isFile() ? describeOtherFile(path) : undefined;
  if (problem !== undefined) throw new CommandFailure(problem);
  return stat.isFile() && isArchive(path) ? openArchiveSource(path, options) : openNdjsonFile(path, options);
}
