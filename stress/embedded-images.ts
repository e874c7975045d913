// Stores the images of large notebooks: each is read from its notebook's text again, which must not count as shared files.
import { expect, test } from "bun:test";
import { readFolder, writeFolder } from "../test/support/written-folder.ts";
import { code, display, notebook, PNG } from "../test/support/notebooks.ts";

test("a notebook of 12 MB has 300 images", async () => {
  const source = `# ${"x".repeat(40_000)}`;
  const image = (index: number) =>
    display({ "image/png": Buffer.concat([Buffer.from(PNG, "base64"), Buffer.from(`${index}`)]).toString("base64") });
  const cells = Array.from({ length: 300 }, (_, index) => code(source, [image(index)]));
  const contents: Promise<number>[] = [];
  const take = (file: { read: () => AsyncIterable<Uint8Array> }): string => {
    contents.push(Array.fromAsync(file.read()).then((parts) => Buffer.concat(parts).byteLength));
    return "https://catalog.example/a";
  };
  await readFolder(
    writeFolder({ "01-a.ipynb": notebook(cells) }),
    undefined,
    { files: { maxBytes: 1000, take } },
    async () => Promise.all(contents),
  );
  expect(await Promise.all(contents)).toHaveLength(300);
});
