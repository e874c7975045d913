// Stores the source's files that the texts of changed courses refer to.
import { ASSET_PATH, formatAssetPath, isAssetName, toAssetName } from "../assets/asset-name.ts";
import type { AssetStore, NamedAsset } from "../assets/asset-store.ts";
import type { AssetReference } from "../catalog/compile-course.ts";
import type { Course } from "../catalog/course.ts";
import type { FileSink, SourceFile } from "../content/source.ts";

export interface FileCount {
  files: number;
  bytes: number;
}

interface KnownFile extends NamedAsset {
  read: SourceFile["read"];
}

/** The files that a source's texts show or link to. Create an instance for each read of the source. */
export class LinkedFiles implements FileSink {
  readonly maxBytes: number;
  readonly isRelative: boolean;
  readonly #publicUrl: string;
  /** Matches the URLs of assets in texts. */
  readonly #urls: RegExp;
  readonly #known = new Map<string, KnownFile>();
  /** The sizes, by digest, of contents that this import stores or plans to store. */
  readonly #stored = new Map<string, number>();
  /** The digests of contents that were not stored before this import. */
  readonly #added = new Set<string>();

  /** `publicUrl` is the API's URL for browsers. With `relative`, the URLs of files have no host. */
  constructor(publicUrl: URL | "relative", maxBytes: number) {
    this.isRelative = publicUrl === "relative";
    this.#publicUrl = publicUrl === "relative" ? "" : publicUrl.href.replace(/\/$/, "");
    this.#urls = new RegExp(`${RegExp.escape(this.#publicUrl)}(${ASSET_PATH}([0-9a-f]{32})/([\\w.~%-]{1,2000}))`, "g");
    this.maxBytes = maxBytes;
  }

  take({ digest, fileName, bytes, read }: SourceFile): string {
    const name = toAssetName(fileName);
    const path = formatAssetPath(digest, name);
    // The first file with a content is read for it: reading it from files in turn would parse notebooks again and again.
    if (!this.#known.has(path)) this.#known.set(path, { digest, name, bytes, read });
    return this.#publicUrl + path;
  }

  countLinked(): FileCount {
    return sum(new Map([...this.#known.values()].map(({ digest, bytes }) => [digest, bytes])));
  }

  countStored(): FileCount {
    return sum(this.#stored);
  }

  async plan(courses: Course[], assets: AssetStore): Promise<void> {
    const files = courses.flatMap((course) => this.#listKnown(course));
    const missing = await assets.listMissing(files.map(({ digest }) => digest));
    for (const { digest, bytes } of files) if (missing.has(digest)) this.#stored.set(digest, bytes);
  }

  /** If the asset folder has lost files of unchanged courses, stores those files again. */
  async storeLost(courses: Course[], assets: AssetStore, at: string): Promise<void> {
    const files = courses.map((course) => ({ course, digests: this.#listKnown(course).map(({ digest }) => digest) }));
    const missing = await assets.listMissing(files.flatMap(({ digests }) => digests));
    for (const { course, digests } of files) {
      if (digests.some((digest) => missing.has(digest))) await this.store(course, assets, at);
    }
  }

  /** Stores a course's files and returns all assets that it refers to. Throws ContentDiffers. */
  async store(course: Course, assets: AssetStore, at: string): Promise<AssetReference[]> {
    const files = this.#listKnown(course);
    const missing = await assets.markAssets(files, at);
    for (const file of files) {
      if (!missing.has(file.digest)) continue;
      // The file is another name for content that this import has just stored.
      if (this.#stored.has(file.digest)) {
        await assets.markAssets([file], at);
        continue;
      }
      if (await assets.storeAsset(file, file.read, at)) this.#added.add(file.digest);
      this.#stored.set(file.digest, file.bytes);
    }
    return [...files, ...(await this.#markOthers(course, assets, at))].map(({ digest, name }) => ({ digest, name }));
  }

  /** Deletes contents that an import has stored but not published. The import marked them with the time `at`. */
  async discard(assets: AssetStore, at: string): Promise<void> {
    await assets.discardAssets(this.#added, at);
    this.#added.clear();
    this.#stored.clear();
  }

  /** Marks assets whose URLs the author wrote, as in an exported catalog. */
  async #markOthers(course: Course, assets: AssetStore, at: string): Promise<NamedAsset[]> {
    const others: NamedAsset[] = [];
    for (const { path, digest, name } of this.#listPaths(course)) {
      if (this.#known.has(path) || !isAssetName(name)) continue;
      const stored = await assets.findAsset(digest, name);
      if (stored !== undefined) others.push(stored);
    }
    const missing = await assets.markAssets(others, at);
    return others.filter(({ digest }) => !missing.has(digest));
  }

  #listKnown(course: Course): KnownFile[] {
    return this.#listPaths(course).flatMap(({ path }) => this.#known.get(path) ?? []);
  }

  #listPaths(course: Course): (AssetReference & { path: string })[] {
    const found = new Map<string, AssetReference & { path: string }>();
    const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
    const texts = lessons.flatMap(({ url, quizHtml, additionalText }) => [url, quizHtml, additionalText]);
    for (const text of [course.thumbnail, ...texts]) {
      for (const [, path = "", digest = "", name = ""] of text.matchAll(this.#urls)) {
        const decoded = decodeName(name);
        if (decoded !== undefined) found.set(path, { path, digest, name: decoded });
      }
    }
    return [...found.values()];
  }
}

function decodeName(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

function sum(bytesByDigest: Map<string, number>): FileCount {
  let bytes = 0;
  for (const each of bytesByDigest.values()) bytes += each;
  return { files: bytesByDigest.size, bytes };
}
