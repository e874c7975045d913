// An archive's members as a tree. Paths and links are resolved within this tree, never on disk, so no name in the
// archive can reach a real file.
import { dirname, normalize, relative } from "node:path/posix";
import { toNfc } from "../../catalog/fold-name.ts";
import { describeTooDeep, describeTooManyBytes, describeTooManyMembers, type ArchiveLimits } from "../limits.ts";
import { cutText } from "../quote.ts";
import {
  createFence,
  isHiddenWay,
  isIgnoreFile,
  LinkWork,
  MAX_LINKS,
  MAX_NAMES,
  type Hides,
  type Way,
} from "./fence.ts";
import type { FileEntry, FileStat, Refusal } from "./source-files.ts";

/** The limit of macOS on the length of a path (PATH_MAX). */
const MAX_PATH = 1024;
/** A member with a longer path counts as more than one, since all paths together must fit into memory. */
const COUNTED_PATH = 128;

/** Thrown for an unacceptable archive. `member` is the path at fault; undefined if the whole archive is at fault. */
export class BadArchive extends Error {
  readonly member: string | undefined;

  constructor(message: string, member?: string) {
    super(message);
    this.member = member;
  }
}

export interface MemberFile {
  kind: "file";
  bytes: number;
  /** Yields the file's bytes in parts. Throws an Error with a message for users if the file cannot be read. */
  stream: () => AsyncIterable<Uint8Array>;
}

/** A symbolic link. A relative `target`, in NFC, starts at the link's folder. */
interface MemberLink {
  kind: "link";
  target: string;
}

interface MemberFolder {
  kind: "folder";
  /** The keys are names in NFC: macOS packs names in NFD, but links in texts use NFC. */
  children: Map<string, Member>;
}

type Member = MemberFile | MemberLink | MemberFolder;

/** The member that a path leads to. */
interface Trace {
  member: MemberFile | MemberFolder;
  /** The member's path from the root, without links. */
  place: string;
  way: Way;
}

/** The members of an archive by path. The methods that add members throw BadArchive for an unacceptable member. */
export class ArchiveTree {
  readonly #limits: ArchiveLimits;
  readonly #root: MemberFolder;
  readonly #linkWork = new LinkWork();
  #count = 0;
  #bytes = 0;

  constructor(limits: ArchiveLimits, root: MemberFolder = { kind: "folder", children: new Map() }) {
    this.#limits = limits;
    this.#root = root;
  }

  addFolder(path: string): void {
    this.#findOrAddFolder(this.#split(path), path);
  }

  addFile(path: string, bytes: number, stream: MemberFile["stream"]): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.maxBytes) throw new BadArchive(describeTooManyBytes(this.#limits), path);
    this.#add(path, { kind: "file", bytes, stream });
  }

  addLink(path: string, target: string): void {
    if (target.length > MAX_PATH) throw new BadArchive(`is a link to a path of more than ${MAX_PATH} characters`, path);
    this.#add(path, { kind: "link", target: toNfc(target) });
  }

  /** Adds a hard link to an earlier file as a symbolic link to that file. */
  addTwin(path: string, target: string): void {
    const twin = this.#trace(toNfc(target));
    if (typeof twin !== "object" || twin.member.kind !== "file") {
      throw new BadArchive(`is a hard link to ${cutText(target)}, which is not an earlier file of the archive`, path);
    }
    this.addLink(path, relative(dirname(`/${path}`), `/${twin.place}`));
  }

  /** Returns the top-level folder that contains all visible entries; undefined if there is none. */
  findOnlyFolder(): { name: string; tree: ArchiveTree } | undefined {
    // A folder with an ignore file is the source's root, so it is not replaced by its only subfolder.
    if (this.#root.children.keys().some(isIgnoreFile)) return undefined;
    const hides = createFence();
    const visible = [...this.#root.children].filter(([name, { kind }]) => !hides(name, kind === "folder"));
    const [name, only] = visible[0] ?? [];
    if (visible.length !== 1 || name === undefined || only?.kind !== "folder") return undefined;
    return { name, tree: new ArchiveTree(this.#limits, only) };
  }

  /** Yields each path that differs only in letter case from an earlier path, its `twin`. */
  *listCaseClashes(): Generator<{ path: string; twin: string }> {
    const folders: [path: string, folder: MemberFolder][] = [["", this.#root]];
    for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
      const [above, { children }] = next;
      const seen = new Map<string, string>();
      for (const [name, member] of children) {
        const path = `${above}${name}`;
        const twin = seen.get(name.toLowerCase());
        if (twin === undefined) seen.set(name.toLowerCase(), path);
        else yield { path, twin };
        if (member.kind === "folder") folders.push([`${path}/`, member]);
      }
    }
  }

  /** Lists a folder. Throws an Error unless the path leads to a visible folder. */
  list(path: string, hides: Hides): FileEntry[] {
    const resolved = this.#resolve(path, hides);
    if (typeof resolved !== "object" || resolved.member.kind !== "folder") throw new Error("there is no such folder");
    const { member, place } = resolved;
    const folder = toNfc(path);
    return Array.from(member.children, ([name, child]): FileEntry[] => {
      if (child.kind === "link") return [this.#followLink(name, joinPath(folder, name), hides)];
      const isFolder = child.kind === "folder";
      // Behind a link, an entry's real path can be hidden although its apparent path is not.
      if (place !== path && hides(joinPath(place, name), isFolder)) return [];
      return [{ name, kind: child.kind, isLink: false, leadsToFolder: isFolder }];
    }).flat();
  }

  #followLink(name: string, path: string, hides: Hides): FileEntry {
    const trace = this.#trace(path);
    // A target outside the archive is unknown, so the link's name decides: a folder's name rarely contains a dot.
    if (trace === "outside") return { name, kind: trace, isLink: true, leadsToFolder: !name.includes(".") };
    if (trace === undefined) return { name, kind: "nothing", isLink: true, leadsToFolder: false };
    const { kind } = trace.member;
    const isHidden = this.#resolve(path, hides) === "hidden";
    return { name, kind: isHidden ? "hidden" : kind, isLink: true, leadsToFolder: kind === "folder" };
  }

  stat(path: string, hides: Hides): FileStat | Refusal | undefined {
    const resolved = this.#resolve(path, hides);
    if (typeof resolved !== "object") return resolved;
    const { member } = resolved;
    return { kind: member.kind, bytes: member.kind === "file" ? member.bytes : 0, identity: member };
  }

  /** Returns the file at a path; undefined unless the path leads to a visible file. */
  findFile(path: string, hides: Hides): MemberFile | undefined {
    const resolved = this.#resolve(path, hides);
    return typeof resolved === "object" && resolved.member.kind === "file" ? resolved.member : undefined;
  }

  #add(path: string, member: MemberFile | MemberLink): void {
    const names = this.#split(path);
    const name = names.pop();
    if (name === undefined) throw new BadArchive("contains a file without a name");
    const { children } = this.#findOrAddFolder(names, path);
    if (children.has(name)) throw new BadArchive("appears twice in the archive; rename or remove one", path);
    this.#countMember(path);
    children.set(name, member);
  }

  #findOrAddFolder(names: string[], path: string): MemberFolder {
    let folder = this.#root;
    for (const name of names) {
      let next = folder.children.get(name);
      if (next === undefined) {
        this.#countMember(path);
        next = { kind: "folder", children: new Map() };
        folder.children.set(name, next);
      }
      if (next.kind !== "folder")
        throw new BadArchive(`is in folder ${name}, but the archive also contains a ${next.kind} of that name`, path);
      folder = next;
    }
    return folder;
  }

  #countMember(path: string): void {
    const weight = Math.max(1, toNfc(path).length / COUNTED_PATH);
    this.#count += weight;
    if (this.#count <= this.#limits.maxMembers) return;
    const hint = weight > 1 ? `; a path of more than ${COUNTED_PATH} characters counts more than once` : "";
    throw new BadArchive(describeTooManyMembers(this.#limits) + hint, path);
  }

  /** Splits a path into names in NFC. Throws BadArchive for an unsafe path. */
  #split(path: string): string[] {
    const fail = (message: string): never => {
      throw new BadArchive(message, path);
    };
    if (/[\0-\x1f\x7f]/.test(path)) fail("has a control character in its path; rename it");
    if (path.includes("\uFFFD")) fail("has a path that is not UTF-8; rename it");
    if (path.includes("\\")) fail("has a backslash in its path; use / instead");
    if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) fail("has an absolute path, which points outside the archive");
    const normal = toNfc(path);
    if (normal.length > MAX_PATH) fail(`has a path of more than ${MAX_PATH} characters`);
    const names = normal.split("/");
    if (names.includes("..")) fail("has a path with .., which points outside the archive");
    const kept = names.filter((name) => name !== "" && name !== ".");
    if (kept.length > this.#limits.maxDepth) fail(describeTooDeep(this.#limits));
    return kept;
  }

  /** Every lookup of a member passes through here, so that no hidden member is ever read. */
  #resolve(path: string, hides: Hides): Trace | Refusal | undefined {
    if (path.length > MAX_PATH) return undefined;
    const normal = normalize(toNfc(path)).replace(/(?<=.)\/$/, "");
    const trace = this.#trace(normal);
    if (typeof trace !== "object") return trace;
    const { member, place, way } = trace;
    this.#linkWork.countWay(way);
    if (place !== normal) way.ends.push(place);
    return isHiddenWay(normal, way, member.kind === "folder", hides) ? "hidden" : trace;
  }

  /** Follows the links in a path in NFC. Returns undefined if a target is missing or there are too many links. */
  #trace(path: string): Trace | "outside" | undefined {
    if (path.length > MAX_PATH) return undefined;
    const folders = [this.#root];
    const names: string[] = [];
    const way: Way = { folders: [], ends: [] };
    const left = path.split("/").toReversed();
    let file: MemberFile | undefined;
    let links = 0;
    let seen = 0;
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      if (++seen > MAX_NAMES) return undefined;
      if (name === "" || name === ".") continue;
      if (file !== undefined) return undefined;
      if (name === "..") {
        folders.pop();
        names.pop();
        if (folders.length === 0) return "outside";
        continue;
      }
      const found = folders.at(-1)?.children.get(name);
      if (found === undefined) return undefined;
      if (links > 0 || found.kind === "link") {
        (left.length > 0 ? way.folders : way.ends).push([...names, name].join("/"));
      }
      if (found.kind !== "link") {
        names.push(name);
        if (found.kind === "folder") folders.push(found);
        else file = found;
        continue;
      }
      if (++links > MAX_LINKS) return undefined;
      if (/^(?:[\\/]|[A-Za-z]:)/.test(found.target)) return "outside";
      this.#linkWork.count(found.target);
      left.push(...found.target.split("/").toReversed());
    }
    const member = file ?? folders.at(-1);
    return member && { member, place: names.join("/") || ".", way };
  }
}

function joinPath(folder: string, name: string): string {
  return folder === "." ? name : `${folder}/${name}`;
}
