// Guards of docs/style.md: how much of src is comments, and words that comments and messages avoid.
import { expect, test } from "bun:test";
import { Glob } from "bun";

const COMMENT = /^\s*(?:\/\/|\/\*|\*)/;
const BANNED = [
  /\bin vain\b/i,
  /\bis told\b/i,
  /\bknows of\b/i,
  /\bwhat may pass\b/i,
  /\bthat which\b/i,
  /\bno room\b/i,
  /\bmake room\b/i,
  /\bodd\b(?! number)/i,
  /\bsomebody\b/i,
  /\bwhoever\b/i,
  /\bfor ever\b/i,
  /\bfor lack of\b/i,
  /\bled on\b/i,
  /\bis to blame\b/i,
  /\bgives? back\b/i,
];
/** Folders in the style so far; the others follow. */
const REVIEWED = /^(?:content|publishing|catalog|store|keys|hooks|assets|explorer)\//;
const SRC = `${import.meta.dir}/../src`;

const files = await Promise.all(
  [...new Glob("**/*.{ts,tsx,css}").scanSync(SRC)].map(async (name) => ({
    name,
    lines: (await Bun.file(`${SRC}/${name}`).text()).split("\n"),
  })),
);

test("at most one line of src in ten is a comment", () => {
  const lines = files.flatMap((file) => file.lines);
  expect(lines.filter((line) => COMMENT.test(line)).length / lines.length).toBeLessThan(0.1);
});

test("comments and messages use plain words", () => {
  const found = files
    .filter(({ name }) => REVIEWED.test(name))
    .flatMap(({ name, lines }) =>
      lines.flatMap((line, index) => {
        // Messages are texts with a blank.
        const texts = COMMENT.test(line) ? [line] : (line.match(/"[^"]* [^"]*"|`[^`]* [^`]*`/g) ?? []);
        return texts.some((text) => BANNED.some((word) => word.test(text)))
          ? [`src/${name}:${index + 1}: ${line.trim()}`]
          : [];
      }),
    );
  expect(found).toEqual([]);
});
