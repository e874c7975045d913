// Maps URLs in an Open edX course to its files and units.
import { join } from "node:path/posix";
import { decodeUrl, encodePath, toReadUrl } from "../../html/links.ts";
import { parseObject } from "./olx-policy.ts";

const ASSET = /^(?:\/?static\/|\/?asset-v1:[^/]*?\+type@asset\+block[@/]|\/c4x\/[^/]+\/[^/]+\/asset\/)([^?#]*)(.*)$/s;
// Authors can write /course/ for their own course.
const JUMP = /^(?:\/course|\/courses\/[^/]+(?:\/[^/]+\/[^/]+)?)?\/jump_to(?:_id)?\/([^?#]+?)\/?((?:[?#].*)?)$/s;
const COURSEWARE =
  /^(?:\/course|\/courses\/[^/]+(?:\/[^/]+\/[^/]+)?)\/courseware\/([^/?#]+)(?:\/([^/?#]+))?(?:\/([^/?#]+))?\/?((?:[?#].*)?)$/s;

export class OlxUrls {
  /** The other name of each file in static/ that has two names. */
  readonly #otherNames: ReadonlyMap<string, string>;
  /** The files in static/, relative to that folder. */
  readonly #files: ReadonlySet<string>;
  /** Lesson paths by block id. */
  readonly #lessonOfBlock = new Map<string, string>();

  /** `assets` is the text of policies/assets.json, if present. */
  constructor(files: ReadonlySet<string>, assets: string | undefined) {
    this.#files = files;
    this.#otherNames = listOtherNames(assets);
  }

  /** Registers a block that is in the lesson at `path`, relative to the course folder. */
  addBlock(id: string, path: string): void {
    if (id !== "" && !this.#lessonOfBlock.has(id)) this.#lessonOfBlock.set(id, path);
  }

  /** Finds a file in static/ by one of its names. Returns its path relative to the course folder, if any. */
  findFile(name: string): string | undefined {
    return [name, this.#otherNames.get(name)]
      .map((each) => (each === undefined ? undefined : toStaticPath(each)))
      .find((path) => path !== undefined && this.#files.has(path.slice("static/".length)));
  }

  /** Maps a URL to a file or lesson, relative to the course folder. Returns undefined for other URLs. */
  map(url: string): string | undefined {
    const read = toReadUrl(url);
    const asset = ASSET.exec(read);
    if (asset !== null) {
      const name = decodeUrl(asset[1] ?? "");
      // The path of a missing file is kept, so that the broken link is reported.
      const path = this.findFile(name) ?? toStaticPath(name);
      return path && `${encodePath(path)}${asset[2] ?? ""}`;
    }
    const jump = JUMP.exec(read);
    if (jump !== null) return toUrl(this.#lessonOfBlock.get(toBlockId(decodeUrl(jump[1] ?? ""))), jump[2]);
    const place = COURSEWARE.exec(read);
    if (place === null) return undefined;
    const [chapter = "", sequential, position] = place.slice(1, 4).map((part) => part && decodeUrl(part));
    const ids = sequential === undefined ? [chapter] : [`${sequential}/${position ?? 1}`, sequential];
    const id = ids.find((each) => this.#lessonOfBlock.has(each));
    return toUrl(id === undefined ? undefined : this.#lessonOfBlock.get(id), place[4]);
  }

  /** Returns true for a URL to a block outside all lessons. */
  isLost(url: string): boolean {
    const read = toReadUrl(url);
    return (JUMP.test(read) || COURSEWARE.test(read)) && this.map(url) === undefined;
  }
}

function toUrl(path: string | undefined, rest = ""): string | undefined {
  return path && `${encodePath(path)}${rest}`;
}

// Reads block-v1:Org+Course+Run+type@vertical+block@ID, i4x://org/course/vertical/ID, or the id alone.
function toBlockId(key: string): string {
  return /(?:\+block@|^i4x:\/\/[^/]+\/[^/]+\/[^/]+\/)(.+)$/s.exec(key)?.[1] ?? key;
}

/** Returns a path in static/; undefined for a path outside it. */
function toStaticPath(name: string): string | undefined {
  const path = join("static", name);
  return path.startsWith("static/") ? path : undefined;
}

// Exports use the names of uploads, such as `Brain green.png`, but URLs use stored names, such as `Brain_green.png`.
function listOtherNames(assets: string | undefined): Map<string, string> {
  const names = new Map<string, string>();
  for (const [key, value] of Object.entries((assets && parseObject(assets)) || {})) {
    const shown = (value as { displayname?: unknown } | null)?.displayname;
    if (typeof shown !== "string" || shown === key) continue;
    names.set(key, shown);
    names.set(shown, key);
  }
  return names;
}
