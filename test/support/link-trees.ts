// Trees of files and links, as a folder and as archives, and what readers get of them.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder, readFolder, writeFiles } from "./written-folder.ts";
import { makeTar, makeZip } from "./archives.ts";

/** Must stay unreadable. */
export const TOKEN = "token-of-somebody";

/** By path: a file, or a link. */
export type Tree = Record<string, string | { to: string }>;

/** Reads a tree from a `folder`, `a.zip` or `a.tar`. */
export async function readTree(tree: Tree, kind: string) {
  const path = join(makeFolder(), kind);
  const entries = Object.entries(tree);
  if (kind === "folder") {
    for (const [name, content] of entries) {
      if (typeof content === "string") writeFiles(path, { [name]: content });
      else {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        symlinkSync(content.to, join(path, name));
      }
    }
  } else {
    const isZip = kind === "a.zip";
    const members = entries.map(([name, content]) => {
      if (typeof content === "string") return { path: name, content };
      return isZip
        ? { path: name, content: content.to, mode: 0o120777 }
        : { path: name, type: "2", target: content.to };
    });
    writeFileSync(path, isZip ? makeZip(members) : makeTar(members));
  }
  return { ...(await readSource(path)), path };
}

/** Reads a path: `text` is that of all lessons and files that readers get, `lessons` are the source paths of the lessons. */
export async function readSource(path: string) {
  const contents: Promise<string>[] = [];
  const readAll = async (parts: AsyncIterable<Uint8Array>): Promise<string> =>
    Buffer.concat(await Array.fromAsync(parts)).toString();
  const files = {
    maxBytes: 1_000_000,
    take: (file: { fileName: string; read: () => AsyncIterable<Uint8Array> }) => {
      contents.push(readAll(file.read()));
      return `https://catalog.example/assets/${file.fileName}`;
    },
  };
  const { found, problems } = await readFolder(path, undefined, { files }, async () => Promise.all(contents));
  const whole = found.map(({ course }) => JSON.stringify(course)).join("") + (await Promise.all(contents)).join("\n");
  const lessons = found.flatMap(({ course }) => course.chapters.flatMap((chapter) => chapter.lessons));
  return {
    text: whole.replaceAll(`${path}/`, ""),
    problems: problems.map((text) => text.replaceAll(/\ba\.(?:zip|tar)\//g, "").replace(/^a\.(?:zip|tar)/, ".")),
    lessons: lessons.map((lesson) => lesson.sourcePath ?? ""),
  };
}
