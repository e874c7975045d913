// Guards docs/style.md: the share of comments, words to avoid, and the length of the docs.
import { expect, test } from "bun:test";
import { Glob } from "bun";

const COMMENT = /^\s*(?:\/\/|\/\*|\*)/;
const BANNED = new RegExp(
  "\\b(?:in vain|is told|knows of|what may pass|that which|no room|make room|odd(?! number)|somebody|whoever|for ever|" +
    "for lack of|led on|is to blame|gives? back)\\b",
  "i",
);
const ROOT = `${import.meta.dir}/../..`;
const CODE = ["src", "bin", "bench", "stress", "examples", "packages/client/src"];
/** 19,000, and the later pages on search (300), sites (300), followed sources (250), upgrades (400), incidents (350), reliability (400). */
const MAX_WORDS = 21_000;
const MAX_WORDS_OF_FORMAT = 300;
const MAX_WORDS_OF_README = 400;

const readFiles = (pattern: string): Promise<{ name: string; text: string }[]> =>
  Promise.all(
    [...new Glob(pattern).scanSync(ROOT)]
      .filter((name) => !name.includes("node_modules"))
      .toSorted()
      .map(async (name) => ({ name, text: await Bun.file(`${ROOT}/${name}`).text() })),
  );
const files = (await Promise.all(CODE.map((folder) => readFiles(`${folder}/**/*.{ts,tsx,mjs,css}`))))
  .flat()
  .map(({ name, text }) => ({ name, lines: text.split("\n") }));
const docs = await readFiles("docs/**/*.md");
const countWords = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
const withoutCode = (text: string): string => text.replaceAll(/^( *)```.*?^\1```/gms, "");

test("at most one line of src in ten is a comment", () => {
  const lines = files.filter(({ name }) => name.startsWith("src/")).flatMap((file) => file.lines);
  expect(lines.filter((line) => COMMENT.test(line)).length / lines.length).toBeLessThan(0.1);
});

test("comments, messages and docs use plain words", () => {
  const ofCode = files.flatMap(({ name, lines }) =>
    lines.flatMap((line, index) => {
      // Messages are texts with a space.
      const texts = COMMENT.test(line) ? [line] : (line.match(/"[^"]* [^"]*"|`[^`]* [^`]*`/g) ?? []);
      return texts.some((text) => BANNED.test(text)) ? [`${name}:${index + 1}: ${line.trim()}`] : [];
    }),
  );
  const ofDocs = docs
    // It quotes a word to avoid.
    .filter(({ name }) => !name.startsWith("docs/decisions/") && name !== "docs/style.md")
    .flatMap(
      ({ name, text }) =>
        withoutCode(text)
          .match(/.+/g)
          ?.map((line) => `${name}: ${line}`) ?? [],
    )
    .filter((line) => BANNED.test(line));
  expect([...ofCode, ...ofDocs]).toEqual([]);
});

test("the docs are short", async () => {
  const [readme] = await readFiles("README.md");
  expect(countWords(readme?.text ?? "")).toBeLessThanOrEqual(MAX_WORDS_OF_README);
  const isOwn = ({ name }: { name: string }): boolean => !/^docs\/(?:decisions|formats)\//.test(name);
  const words = [...docs.filter(isOwn), ...(readme === undefined ? [] : [readme])].map(({ text }) =>
    countWords(
      withoutCode(text)
        // The benchmark writes this table.
        .replace(/<!-- table -->.*<!-- \/table -->/s, "")
        // Options that another table describes.
        .replaceAll(/^\|.*\| (?:\[Settings\]|As for \[import\])\([^)]*\) \|$/gm, ""),
    ),
  );
  expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MAX_WORDS);
});

test.each(docs.filter(({ name }) => name.startsWith("docs/formats/")).map(({ name, text }) => [name, text]))(
  "%s is short",
  (_name, text) => {
    expect(countWords(withoutCode(text).replaceAll(/^\|.*$/gm, ""))).toBeLessThanOrEqual(MAX_WORDS_OF_FORMAT);
  },
);
