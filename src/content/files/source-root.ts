// The folder that is read, and the fence around it: nothing outside is ever opened.
import type { Dirent } from "node:fs";
import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { basename, extname, join as joinSlashes } from "node:path/posix";
import { isLessonFile } from "./lesson-names.ts";
import { describeTooLarge, type SourceLimits } from "../limits.ts";
import { COURSE_YAML, TOCTREE } from "./outline-names.ts";
import type { Location, Report } from "../source.ts";

/** A file or folder of the source; `path` is relative to the root, with `/`. */
export interface SourceEntry {
  name: string;
  path: string;
  isFolder: boolean;
}

export class SourceRoot {
  // A folder is listed more than once; a link in it is reported once.
  private readonly reportedLinks = new Set<string>();

  private constructor(
    /** As the operator typed it. */
    readonly typedPath: string,
    private readonly realRoot: string,
    readonly limits: SourceLimits,
  ) {}

  /** Throws an Error with a message for people when there is no such folder. */
  static async open(typedPath: string, limits: SourceLimits): Promise<SourceRoot> {
    const realRoot = await realpath(typedPath).catch(() => undefined);
    if (realRoot === undefined) throw new Error(`there is no folder ${typedPath}`);
    if (!(await stat(realRoot)).isDirectory()) throw new Error(`${typedPath} is not a folder`);
    return new SourceRoot(typedPath, realRoot, limits);
  }

  /** The path as the operator would type it. */
  toTypedPath(path: string): string {
    return join(this.typedPath, path);
  }

  /**
   * The entries of a folder, folders and files only, in code-unit order; without those that begin with a dot, and
   * `node_modules`. A link that leads outside the source or to nothing is left out, which is reported once, if there is a
   * `report`: as an error where a lesson, an outline or a folder may be behind it, else as a warning.
   */
  async list(folder: string, report?: Report): Promise<SourceEntry[]> {
    const entries: SourceEntry[] = [];
    for (const entry of await this.readFolder(folder, report)) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = joinSlashes(folder, entry.name);
      const kind = entry.isSymbolicLink() ? await this.followLink(path, report) : entry;
      if (kind?.isDirectory() === true) entries.push({ name: entry.name, path, isFolder: true });
      else if (kind?.isFile() === true) entries.push({ name: entry.name, path, isFolder: false });
    }
    return entries.sort((a, b) => compareCodeUnits(a.name, b.name));
  }

  private async readFolder(folder: string, report: Report | undefined): Promise<Dirent[]> {
    try {
      return await readdir(join(this.realRoot, folder), { withFileTypes: true });
    } catch (error) {
      report?.({ severity: "error", file: this.toTypedPath(folder), message: `cannot be read: ${messageOf(error)}` });
      return [];
    }
  }

  private async followLink(
    path: string,
    report: Report | undefined,
  ): Promise<{ isDirectory(): boolean; isFile(): boolean } | undefined> {
    const target = await realpath(join(this.realRoot, path)).catch(() => undefined);
    if (target !== undefined && this.holds(target)) return stat(target);
    if (report === undefined || this.reportedLinks.has(path)) return undefined;
    this.reportedLinks.add(path);
    const where = target === undefined ? "to nothing" : "outside the source folder";
    const message = `is a link that leads ${where}, and is not read`;
    const severity = (await mayBeRead(basename(path), target)) ? "error" : "warning";
    report({ severity, file: this.toTypedPath(path), message });
    return undefined;
  }

  /** True for a symbolic link. */
  async isLink(path: string): Promise<boolean> {
    return (await lstat(join(this.realRoot, path))).isSymbolicLink();
  }

  /** Whether there is such a file or folder: undefined when not, or `outside` when it leads outside the source. */
  async find(path: string): Promise<"file" | "folder" | "outside" | undefined> {
    if (leadsUp(path)) return "outside";
    try {
      const target = await realpath(join(this.realRoot, path));
      if (!this.holds(target)) return "outside";
      const found = await stat(target);
      if (found.isDirectory()) return "folder";
      return found.isFile() ? "file" : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * The text of a file without its byte order mark. Undefined when it leads outside, is too large, cannot be read or is
   * not UTF-8; that is reported.
   */
  async readText(path: string, report: Report): Promise<string | undefined> {
    const place: Location = { file: this.toTypedPath(path) };
    if ((await this.find(path)) === "outside") {
      report({ severity: "error", ...place, message: "leads outside the source folder, and is not read" });
      return undefined;
    }
    try {
      const { size } = await stat(join(this.realRoot, path));
      const { maxFileBytes } = this.limits;
      if (size > maxFileBytes) {
        const message = describeTooLarge(size, maxFileBytes, "a lesson or outline file", "max-file-size");
        report({ severity: "error", ...place, message });
        return undefined;
      }
      const bytes = await readFile(join(this.realRoot, path));
      return decodeUtf8(bytes, place, report);
    } catch (error) {
      report({ severity: "error", ...place, message: `cannot be read: ${messageOf(error)}` });
      return undefined;
    }
  }

  private holds(realTarget: string): boolean {
    return realTarget === this.realRoot || !leadsUp(relative(this.realRoot, realTarget).replaceAll(sep, "/"));
  }
}

// By the names alone, but for a folder: what is behind a link that leads outside is not read.
async function mayBeRead(name: string, target: string | undefined): Promise<boolean> {
  if (isLessonFile(name) || [...COURSE_YAML, ...TOCTREE].includes(name)) return true;
  // What is not there may have been a folder, unless its name has an ending.
  if (target === undefined) return extname(name) === "";
  return (await stat(target).catch(() => undefined))?.isDirectory() !== false;
}

function decodeUtf8(bytes: Uint8Array, place: Location, report: Report): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const line = findBrokenLine(bytes);
    report({ severity: "error", ...place, line, message: "is not valid UTF-8; save the file as UTF-8" });
    return undefined;
  }
}

// A line break is one byte that no other UTF-8 character holds, so the lines can be decoded one by one.
function findBrokenLine(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(10, start);
    const part = bytes.subarray(start, end === -1 ? bytes.length : end);
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(part);
    } catch {
      return line;
    }
    start = end === -1 ? bytes.length : end + 1;
  }
  return line;
}

function leadsUp(path: string): boolean {
  return path === ".." || path.startsWith("../") || path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path);
}

function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
