// Checks that relative links lead to visible files.
import { basename, dirname, join } from "node:path/posix";
import { decodeUrl, nameLink, toReadUrl, type LinkProblem, type RelativeLink } from "../html/links.ts";
import { cutText, cutTexts } from "../quote.ts";
import { remember } from "../remember.ts";
import type { SourceTree } from "./source-tree.ts";

export class LinkTargets {
  // Cached by path, since many lessons show the same image.
  readonly #known = new Map<string, ReturnType<SourceTree["find"]>>();
  /** The names of files by their lower-case names, for each folder, since a lesson can have many broken links. */
  readonly #names = new Map<string, Promise<Map<string, string>>>();

  readonly #tree: SourceTree;

  constructor(tree: SourceTree) {
    this.#tree = tree;
  }

  /**
   * Returns the problem if a relative link in `folder` leads to nothing visible, or if an image or other embedded
   * content leads to a folder; undefined otherwise.
   */
  async findProblem(link: RelativeLink, folder: string): Promise<LinkProblem | undefined> {
    const path = toFilePath(link.value);
    const message = path === undefined ? undefined : await this.#lookUp(path, folder, link);
    return message === undefined ? undefined : { kind: "link-to-nothing", message };
  }

  async isFile(path: string): Promise<boolean> {
    return (await this.#find(path)) === "file";
  }

  async #lookUp(path: string, folder: string, link: RelativeLink): Promise<string | undefined> {
    const found = await this.#find(join(folder, path));
    if (found === "file") return undefined;
    const [value, shownPath] = cutTexts(link.value, path);
    const name = `${nameLink(link)} "${value}"`;
    const file = cutText(this.#tree.toTypedPath(join(folder, shownPath)), 300);
    switch (found) {
      case "folder":
        // Web servers answer a request for a folder with a page, which suits a link but not an image.
        return nameLink(link) === "link" ? undefined : `${name} points to a folder: ${file}`;
      case "outside":
        return `${name} points outside the source folder`;
      case "hidden":
        return `${name} points to a hidden or ignored path: ${file}`;
      case undefined:
        return `${name} points to a missing file: ${file}${hintAt(link)}${await this.#findOtherCase(path, folder)}`;
    }
  }

  /** Suggests a name that differs only in letter case, which authors' machines often ignore but servers do not. */
  async #findOtherCase(path: string, folder: string): Promise<string> {
    const whole = join(folder, path);
    const names = await remember(this.#names, dirname(whole), () => this.#listNames(dirname(whole)));
    const meant = names.get(basename(whole).toLowerCase());
    return meant === undefined ? "" : `; did you mean ${cutText(join(dirname(path), meant))}?`;
  }

  async #listNames(folder: string): Promise<Map<string, string>> {
    const files = (await this.#tree.list(folder)).filter(({ isFolder }) => !isFolder);
    return new Map(files.map(({ name }) => [name.toLowerCase(), name]));
  }

  #find(path: string): ReturnType<SourceTree["find"]> {
    return remember(this.#known, path, () => this.#tree.find(path));
  }
}

// The author of `[the site](www.example.org)` forgot the scheme.
function hintAt({ value }: RelativeLink): string {
  const isHost = /^\s*(?:www\.|[a-z\d-]+(?:\.[a-z\d-]+)*\.(?:com|org|net|edu|io|co|app|dev)(?:[/?#]|$))/i.test(value);
  return isHost ? "; the URL of another site begins with https://" : "";
}

/** Returns the path in a relative link. Returns undefined for an empty path or one that begins with a slash. */
export function toFilePath(url: string): string | undefined {
  const path = /^[^?#]*/.exec(toReadUrl(url))?.[0].trimEnd() ?? "";
  return path === "" || /^[\\/]/.test(path) ? undefined : decodeUrl(path);
}
