// Where the relative links of a folder lead: to files of it, or to nothing.
import { join } from "node:path/posix";
import { describeRelativeLink, nameLink, toReadUrl, type RelativeLink } from "./links.ts";
import type { SourceRoot } from "./source-root.ts";

export class LinkTargets {
  // Many lessons show the same image.
  readonly #known = new Map<string, ReturnType<SourceRoot["find"]>>();

  constructor(private readonly root: SourceRoot) {}

  /** What to tell an author about a relative link in a file of `folder`; undefined when readers can follow it. */
  async findProblem(link: RelativeLink, folder: string): Promise<string | undefined> {
    const path = toFilePath(link.value);
    const problem = path === undefined ? undefined : await this.#lookUp(join(folder, path), link);
    if (problem !== undefined) return `${nameLink(link)} "${link.value}" ${problem}`;
    return link.isResolved ? undefined : describeRelativeLink(link);
  }

  async #lookUp(path: string, link: RelativeLink): Promise<string | undefined> {
    const found = this.#known.get(path) ?? this.root.find(path);
    this.#known.set(path, found);
    switch (await found) {
      case "file":
        return undefined;
      case "folder":
        // Web servers show a page for a folder, but no image.
        return nameLink(link) === "link" ? undefined : `leads to a folder: ${this.root.toTypedPath(path)}`;
      case "outside":
        return "leads outside the source folder";
      case undefined:
        return `leads to nothing: there is no file ${this.root.toTypedPath(path)}${hintAt(link)}`;
    }
  }
}

// [the site](www.example.org)
function hintAt({ value }: RelativeLink): string {
  const isHost = /^\s*(?:www\.|[a-z\d-]+(?:\.[a-z\d-]+)*\.(?:com|org|net|edu|io|co|app|dev)(?:[/?#]|$))/i.test(value);
  return isHost ? "; the address of another site begins with https://" : "";
}

/** Undefined for a link that names no file: to another place of the same host, or of the same page. */
function toFilePath(url: string): string | undefined {
  const path = /^[^?#]*/.exec(toReadUrl(url))?.[0].trimEnd() ?? "";
  if (path === "" || /^[\\/]/.test(path)) return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
