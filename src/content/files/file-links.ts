// Resolves links to files that readers can download, such as images, audio and documents, but not lessons or outlines.
import { basename, dirname, extname, join } from "node:path/posix";
import { holdsAnswers } from "../answer-marks.ts";
import { ContentDigest } from "../../catalog/content-digest.ts";
import { nameLink, type LinkProblem, type RelativeLink } from "../html/links.ts";
import { describeTooLarge } from "../limits.ts";
import { cutText } from "../quote.ts";
import { remember } from "../remember.ts";
import type { FileSink } from "../source.ts";
import { IMAGE_HEAD_BYTES, readImageSize, type ImageSize } from "../html/image-size.ts";
import { toFilePath } from "./link-targets.ts";
import type { SourceTree } from "./source-tree.ts";

/** The extensions of the programs into which Jupytext converts notebooks. */
const PAIRED = /\.(?:py|r|jl|js|ts|cpp|cs|fs|java|scala|rs|q|sage|m|ps1|sh|clj|scm|lua|go|robot)$/i;

/** The file that Git LFS leaves in place of a large file: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
const LFS_POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\//;
const MAX_POINTER_BYTES = 1024;

async function isPairedProgram(tree: SourceTree, path: string): Promise<boolean> {
  const stem = path.slice(0, path.length - extname(path).length);
  return PAIRED.test(path) && (await tree.find(`${stem}.ipynb`)) === "file";
}

/** Returns true for a notebook, and for a program that Jupytext pairs with one. */
export async function isNotebook(tree: SourceTree, path: string): Promise<boolean> {
  return /\.ipynb$/i.test(path) || (await isPairedProgram(tree, path));
}

/** The URL of a file, or the reason why readers cannot download it. */
type TakenFile = { url: string } | { problem: Omit<LinkProblem, "message"> & { reason: string } };

export class FileLinks {
  readonly #tree: SourceTree;
  readonly #sink: FileSink;
  readonly #finder: FileFinder;
  // Cached by path, since many lessons show the same image.
  readonly #known = new Map<string, Promise<TakenFile>>();
  // Cached by identity, since many links can lead to the same file.
  readonly #contents = new Map<unknown, Promise<Content>>();
  readonly #withheld = new Map<string, Promise<boolean>>();

  /** `sink` takes linked files and returns their URLs. */
  constructor(tree: SourceTree, finder: FileFinder, sink: FileSink) {
    this.#tree = tree;
    this.#finder = finder;
    this.#sink = sink;
  }

  /**
   * Returns the URL for a link in a file of `folder`, including the fragment, or the problem if readers cannot download
   * the linked file. Returns undefined for a link to a lesson, an outline or no file, and for a link that needs a host
   * if the sink's URLs have none.
   */
  async decide(
    link: RelativeLink,
    folder: string,
  ): Promise<{ url: string; problem: undefined } | { url: undefined; problem: LinkProblem } | undefined> {
    if (link.needsHost === true && this.#sink.isRelative === true) return undefined;
    const path = await this.#finder.find(link.url, folder);
    if (path === undefined) return undefined;
    const taken = await this.#takeUnlessPaired(path);
    if ("url" in taken) {
      const [fragment = ""] = /#.*$/s.exec(link.url) ?? [];
      return { url: taken.url + fragment, problem: undefined };
    }
    const { kind, reason } = taken.problem;
    const message = `${nameLink(link)} "${cutText(link.value, 120)}": ${this.#tree.toTypedPath(path)} ${reason}`;
    return { url: undefined, problem: { kind, message } };
  }

  // A program that is paired with a notebook contains the notebook's answers. Other programs can contain marked
  // answers.
  async #takeUnlessPaired(path: string): Promise<TakenFile> {
    const isWithheld = PAIRED.test(path) && (await remember(this.#withheld, path, () => this.#mayHoldAnswers(path)));
    if (!isWithheld) return remember(this.#known, path, () => this.#digest(path));
    const reason = "is a notebook saved as a program and can contain answers: readers cannot download it";
    return { problem: { kind: "unstored-file", reason } };
  }

  async #mayHoldAnswers(path: string): Promise<boolean> {
    if (await isPairedProgram(this.#tree, path)) return true;
    return holdsAnswers((await this.#tree.readText(path, () => undefined)) ?? "");
  }

  async #digest(path: string): Promise<TakenFile> {
    const { maxBytes } = this.#sink;
    const { bytes, identity } = await this.#tree.identify(path);
    if (bytes > maxBytes) {
      const reason = `is ${describeTooLarge(bytes, maxBytes, "a stored file", "max-asset-size")}`;
      return { problem: { kind: "unstored-file", reason } };
    }
    const read = (): AsyncIterable<Uint8Array> => this.#tree.stream(path, maxBytes);
    let content: Content;
    try {
      await this.#tree.requirePlaced(path);
      content = await remember(this.#contents, identity, () => readContent(read()));
    } catch (error) {
      return { problem: { kind: "unreadable", reason: `cannot be read: ${(error as Error).message}` } };
    }
    if (content.isPointer) {
      const reason = "is only a Git LFS pointer: run `git lfs pull` before the import";
      return { problem: { kind: "unstored-file", reason } };
    }
    const { digest, bytes: size } = content;
    return { url: this.#sink.take({ digest, fileName: basename(path), bytes: size, read }) };
  }
}

interface Content {
  digest: string;
  bytes: number;
  /** True for a pointer of Git LFS. */
  isPointer: boolean;
}

async function readContent(parts: AsyncIterable<Uint8Array>): Promise<Content> {
  const content = new ContentDigest();
  let isPointer = false;
  for await (const part of parts) {
    isPointer ||= content.bytes === 0 && LFS_POINTER.test(String(Buffer.from(part.subarray(0, MAX_POINTER_BYTES))));
    content.add(part);
  }
  return { digest: content.finish(), bytes: content.bytes, isPointer: isPointer && content.bytes <= MAX_POINTER_BYTES };
}

/** The maximum number of parent folders in which a link with a leading `/` is looked up, beside the root. */
const MAX_PARENTS = 16;

/** Finds the files that links point to. */
export class FileFinder {
  readonly #tree: SourceTree;
  readonly #known = new Map<string, Promise<string | undefined>>();

  constructor(tree: SourceTree) {
    this.#tree = tree;
  }

  /** Finds the file, but no lesson or outline, that a link in `folder` points to. */
  async find(url: string, folder: string): Promise<string | undefined> {
    const isRooted = /^[\\/]+[^\\/]/.test(url);
    const path = toFilePath(isRooted ? url.replace(/^[\\/]+/, "") : url);
    if (path === undefined) return undefined;
    if (isRooted) return this.findAbove(path, folder, (whole) => this.#tree.mayBeGiven(whole));
    const whole = join(folder, path);
    return this.#tree.mayBeGiven(whole) && (await this.#tree.find(whole)) === "file" ? whole : undefined;
  }

  /** Finds the file that a link with a leading `/` points to, in `folder`, then in each parent folder. */
  findAbove(path: string, folder: string, mayBe?: (path: string) => boolean): Promise<string | undefined> {
    return remember(this.#known, [mayBe === undefined, folder, path].join("\n"), async () => {
      for (let [from, parents] = [folder, 0]; ; from = ++parents < MAX_PARENTS ? dirname(from) : ".") {
        const whole = join(from, path);
        if (mayBe?.(whole) !== false && (await this.#tree.find(whole)) === "file") return whole;
        if (from === ".") return undefined;
      }
    });
  }
}

/** Creates a function that returns the size of a linked image, or undefined if the size is unknown. */
export function createFindSize(
  tree: SourceTree,
  finder: FileFinder,
): (link: RelativeLink, folder: string) => Promise<ImageSize | undefined> {
  const known = new Map<string, Promise<ImageSize | undefined>>();
  return async ({ url }, folder) => {
    const path = await finder.find(url, folder);
    return path === undefined ? undefined : remember(known, path, () => readSize(tree, path));
  };
}

async function readSize(tree: SourceTree, path: string): Promise<ImageSize | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of tree.stream(path, Infinity)) {
      // Copies the part, because the tree reuses the buffer for the next one.
      parts.push(part.slice(0, IMAGE_HEAD_BYTES - bytes));
      bytes += part.byteLength;
      if (bytes >= IMAGE_HEAD_BYTES) break;
    }
  } catch {
    return undefined;
  }
  return readImageSize(Buffer.concat(parts));
}
