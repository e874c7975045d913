// Addresses inside a course of Open edX: its files, and its units.
import { join } from "node:path/posix";
import { decodeUrl, encodePath, toReadUrl } from "../../html/links.ts";
import { parseObject } from "./olx-policy.ts";

const ASSET = /^(?:\/?static\/|\/?asset-v1:[^/]*?\+type@asset\+block[@/]|\/c4x\/[^/]+\/[^/]+\/asset\/)([^?#]*)(.*)$/s;
// Authors may write /course/ for the course that they are in.
const JUMP = /^(?:\/course|\/courses\/[^/]+(?:\/[^/]+\/[^/]+)?)?\/jump_to(?:_id)?\/([^?#]+?)\/?((?:[?#].*)?)$/s;
const COURSEWARE =
  /^(?:\/course|\/courses\/[^/]+(?:\/[^/]+\/[^/]+)?)\/courseware\/([^/?#]+)(?:\/([^/?#]+))?(?:\/([^/?#]+))?\/?((?:[?#].*)?)$/s;

/** What the addresses of a course lead to. */
export class OlxUrls {
  /** By the names that files of static/ are known by besides their own. */
  readonly #otherNames: ReadonlyMap<string, string>;
  /** The files of static/, relative to it. */
  readonly #files: ReadonlySet<string>;
  /** The path of the lesson that holds a block. */
  readonly #lessonOfBlock = new Map<string, string>();

  /** `assets` is the text of policies/assets.json; undefined where there is none. */
  constructor(files: ReadonlySet<string>, assets: string | undefined) {
    this.#files = files;
    this.#otherNames = listOtherNames(assets);
  }

  /** Notes that a block is in the lesson that is at `path`, relative to the course's folder. */
  addBlock(id: string, path: string): void {
    if (id !== "" && !this.#lessonOfBlock.has(id)) this.#lessonOfBlock.set(id, path);
  }

  /** The path of a file of static/, relative to the course's folder, by a name that the course gives it. Undefined when there is none. */
  findFile(name: string): string | undefined {
    return [name, this.#otherNames.get(name)]
      .map((each) => (each === undefined ? undefined : toStaticPath(each)))
      .find((path) => path !== undefined && this.#files.has(path.slice("static/".length)));
  }

  /** A relative URL as one that counts from the course's folder: to a file, or to a lesson. Undefined for any other. */
  map(url: string): string | undefined {
    const read = toReadUrl(url);
    const asset = ASSET.exec(read);
    if (asset !== null) {
      const name = decodeUrl(asset[1] ?? "");
      // One that is not there is told of like any other.
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

  /** True for a URL that means a block which is in no lesson. */
  isLost(url: string): boolean {
    const read = toReadUrl(url);
    return (JUMP.test(read) || COURSEWARE.test(read)) && this.map(url) === undefined;
  }
}

function toUrl(path: string | undefined, rest = ""): string | undefined {
  return path && `${encodePath(path)}${rest}`;
}

// block-v1:Org+Course+Run+type@vertical+block@ID, i4x://org/course/vertical/ID, or the id alone.
function toBlockId(key: string): string {
  return /(?:\+block@|^i4x:\/\/[^/]+\/[^/]+\/[^/]+\/)(.+)$/.exec(key)?.[1] ?? key;
}

/** Undefined for a name that leads out of static/. */
function toStaticPath(name: string): string | undefined {
  const path = join("static", name);
  return path.startsWith("static/") ? path : undefined;
}

// An export names files as they were uploaded, addresses name them as they are stored: `Brain green.png`, `Brain_green.png`.
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
