// Maps URLs in a cartridge's texts to its files and lessons.
import { join } from "node:path/posix";
import { decodeUrl, encodePath, toReadUrl } from "../../html/links.ts";
import type { CartridgeResource } from "./manifest.ts";

const FILE_BASE = /^(?:\$|%24)IMS[-_]CC[-_]FILEBASE(?:\$|%24)\/?([^?#]*)(.*)$/is;
const WIKI = /^(?:\$|%24)WIKI_REFERENCE(?:\$|%24)\/(?:pages|wiki)\/([^/?#]+)[^#]*(#.*)?$/is;
const OBJECT = /^(?:\$|%24)CANVAS_(?:OBJECT|COURSE)_REFERENCE(?:\$|%24)\/([^?#]*)[^#]*(#.*)?$/is;
const TOKEN = /^(?:\$|%24)(?:WIKI|CANVAS_(?:OBJECT|COURSE))_REFERENCE(?:\$|%24)/i;

/** Finds the targets of a cartridge's URLs. Paths are relative to the cartridge. */
export class CartridgeUrls {
  /** The linked files. */
  readonly used = new Set<string>();
  readonly #files: ReadonlySet<string>;
  /** Paths by the id of a resource or item. */
  readonly #paths = new Map<string, string>();

  /** `files` contains the paths of all files in the cartridge. */
  constructor(files: ReadonlySet<string>) {
    this.#files = files;
  }

  /** Registers the path of a resource or an item, unless the id already has a path. */
  add(id: string, path: string): void {
    if (id !== "" && !this.#paths.has(id)) this.#paths.set(id, path);
  }

  /** Finds a file by its name in the manifest; that name can be percent-encoded. */
  findFile(name: string): string | undefined {
    return [name, decodeUrl(name)].map((each) => join(each)).find((path) => this.#files.has(path));
  }

  /** Makes a URL in a text of `folder` relative to the cartridge; undefined if it has no target or needs no change. */
  map(url: string, folder: string): string | undefined {
    const read = toReadUrl(url);
    const file = FILE_BASE.exec(read);
    if (file !== null)
      return this.#toUrl(this.#findBased(decodeUrl(file[1] ?? ""), folder), withoutQuery(file[2] ?? ""));
    const target = WIKI.exec(read) ?? OBJECT.exec(read);
    if (target !== null) {
      // References contain the id in different places: modules/items/ID, file_ref/ID/download.
      const names = (target[1] ?? "").split("/").map(decodeUrl);
      const id = names.find((name) => this.#paths.has(name)) ?? names[1] ?? names[0] ?? "";
      const path = this.#paths.get(id) ?? this.findFile(`wiki_content/${id}.html`);
      return path === undefined ? undefined : this.#toUrl(path, target[2] ?? "");
    }
    if (folder === "." || TOKEN.test(read) || /^[\\/#?]/.test(read)) return undefined;
    const [, name = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(read) ?? [];
    return this.#toUrl(join(folder, decodeUrl(name)), rest);
  }

  /** Returns true for a reference to content that is in no lesson. */
  isLost(url: string): boolean {
    return TOKEN.test(toReadUrl(url)) && this.map(url, ".") === undefined;
  }

  // Paths are relative to web_resources/ in Canvas, to the cartridge in the specification, and to the text's folder in
  // some programs.
  #findBased(name: string, folder: string): string {
    const fromRoot = name.replace(/^(?:\.\.?\/)+/, "");
    const candidates = [join("web_resources", fromRoot), fromRoot, join(folder, name)];
    return candidates.find((path) => this.#files.has(path)) ?? fromRoot;
  }

  #toUrl(path: string, rest: string): string {
    this.used.add(path);
    return encodePath(path) + rest;
  }
}

// Drops queries such as ?canvas_download=1, which only Canvas understands.
function withoutQuery(rest: string): string {
  return rest.replace(/^\?[^#]*/s, "");
}

const PATTERNS = {
  assignment: /\/assignment_settings\.xml$/,
  introduction: /\/assessment_meta\.xml$/,
  // Canvas exports each quiz twice: only this version includes Canvas's extensions.
  quiz: /(?:^|\/)non_cc_assessments\/[^/]+\.xml\.qti$/i,
} as const;

export type OwnedKind = keyof typeof PATTERNS;

/** Returns a resource's first file of a kind. */
export type FindOwned = (resource: CartridgeResource, kind: OwnedKind) => string | undefined;

/** Searches the files of each resource only once, since many resources can depend on a resource with many files. */
export function createFindOwned(urls: CartridgeUrls): FindOwned {
  const known = new Map<CartridgeResource, Partial<Record<OwnedKind, string | undefined>>>();
  const look = ({ files, href = "" }: CartridgeResource) => {
    const paths = [...files, href].map((name) => urls.findFile(name) ?? "");
    const find = (kind: OwnedKind): string | undefined => paths.find((path) => PATTERNS[kind].test(path));
    return { assignment: find("assignment"), introduction: find("introduction"), quiz: find("quiz") };
  };
  return (resource, kind) => {
    const found = known.get(resource) ?? look(resource);
    known.set(resource, found);
    return found[kind];
  };
}
