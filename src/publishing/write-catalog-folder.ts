// Writes an exported catalog as a folder. Each course gets a folder with a course.yaml and a file for each lesson; all
// assets share another folder.
import { mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { stringify } from "yaml";
import { formatAssetPath } from "../assets/asset-name.ts";
import { PIECE_BYTES, type AssetReader } from "../assets/asset-store.ts";
import type { AssetReference } from "../catalog/compile-course.ts";
import { toSlug } from "../catalog/complete-course.ts";
import { nameUnfinished } from "../catalog/file-owner.ts";
import type { ExportedCourse, ExportedLesson } from "./export-catalog.ts";
import { PublishingRefused } from "./publish.ts";

const ASSETS = "assets";
const MAX_NAME_LENGTH = 60;

/**
 * Writes the folder elsewhere, and moves it into place when it is complete. Returns the number of assets in the folder.
 */
export async function writeCatalogFolder(
  folder: string,
  courses: AsyncIterable<{ course: ExportedCourse; assets: AssetReference[] }>,
  reader: AssetReader,
): Promise<{ assets: number }> {
  const target = resolve(folder);
  const refuse = (error: NodeJS.ErrnoException): never => {
    throw new PublishingRefused(
      `${folder} cannot be written: ${error.code === "ENOTDIR" ? "it is a file" : error.message}.`,
    );
  };
  const held = await readdir(target).catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? undefined : refuse(error),
  );
  if (held !== undefined && held.length > 0) {
    throw new PublishingRefused(`${folder} is not empty; name a new folder.`);
  }
  const temporary = nameUnfinished(target);
  await mkdir(temporary, { recursive: true }).catch(refuse);
  try {
    const written = new Set<string>();
    let number = 0;
    for await (const { course, assets } of courses) {
      await writeCourse(join(temporary, nameFile(++number, course.slug)), course, assets);
      for (const asset of assets) await writeAsset(temporary, asset, reader, written);
    }
    if (held !== undefined) await rmdir(target);
    await rename(temporary, target);
    return { assets: written.size };
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

async function writeCourse(folder: string, course: ExportedCourse, assets: AssetReference[]): Promise<void> {
  const { chapters, ...fields } = course;
  const relate = createRelator(assets);
  const outline = [];
  for (const [number, { id, name, lessons }] of chapters.entries()) {
    const entries = [];
    for (const [index, lesson] of lessons.entries()) {
      const file = `${nameFile(number + 1, toSlug(name))}/${nameFile(index + 1, toSlug(lesson.name))}.html`;
      await Bun.write(join(folder, file), toLessonFile(lesson, relate));
      entries.push({ file });
    }
    outline.push({ id, name, lessons: entries });
  }
  await mkdir(folder, { recursive: true });
  const thumbnail = relate(course.thumbnail, "..");
  await Bun.write(join(folder, "course.yaml"), toYaml({ ...fields, thumbnail, chapters: outline }));
}

function toLessonFile({ additionalText, ...fields }: ExportedLesson, relate: Relate): string {
  const up = "../..";
  const related = { ...fields, url: relate(fields.url, up), quizHtml: relate(fields.quizHtml, up) };
  const given = Object.fromEntries(Object.entries(related).filter(([, value]) => value !== ""));
  return `---\n${toYaml(given)}---\n${relate(additionalText, up)}`;
}

function toYaml(fields: object): string {
  return stringify(fields, { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN", lineWidth: 0 });
}

function nameFile(number: number, name: string): string {
  const readable = [...name.replace(/[^\p{L}\p{N}\p{M}-]/gu, "-")].slice(0, MAX_NAME_LENGTH).join("");
  return `${String(number).padStart(2, "0")}-${readable}`;
}

/** Makes the URLs of assets in a text relative. `up` leads from the file to the root. */
type Relate = (text: string, up: string) => string;

function createRelator(assets: AssetReference[]): Relate {
  const paths = new Set(assets.map(({ digest, name }) => formatAssetPath(digest, name)));
  if (paths.size === 0) return (text) => text;
  return (text, up) =>
    text.replace(
      /(?:https?:\/\/(?:\[[^\s"'<>\\[\]]*\]|[^\s"'<>\\:/[]*)(?::\d+)?(?:\/[^\s"'<>\\:]*?)??|(?<![^\s"'(,]))(\/assets\/[0-9a-f]{32}\/[^\s"'<>?#,)\\]+)/g,
      (url, path: string) => (paths.has(path) ? `${up}${path}` : url),
    );
}

async function writeAsset(
  root: string,
  { digest, name }: AssetReference,
  reader: AssetReader,
  written: Set<string>,
): Promise<void> {
  if (written.has(`${digest}/${name}`)) return;
  const asset = await reader.findAsset(digest, name);
  if (asset === undefined) throw new PublishingRefused(`The release's file ${name} (${digest}) is not stored.`);
  written.add(`${digest}/${name}`);
  const folder = join(root, ASSETS, digest);
  await mkdir(folder, { recursive: true });
  const writer = Bun.file(join(folder, name)).writer({ highWaterMark: PIECE_BYTES });
  for (let from = 0; from < asset.bytes;) {
    const piece = await reader.readPiece(asset, from, asset.bytes);
    await writer.write(piece);
    await writer.flush();
    from += piece.byteLength;
  }
  await writer.end();
}
