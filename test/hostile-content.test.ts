// Content that somebody made to hurt who reads it.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { checkCatalog } from "../src/publishing/check-catalog.ts";
import { openSource } from "../src/cli/open-source.ts";
import { removeWrittenFolders, writeFolder } from "./written-folder.ts";

setDefaultTimeout(60_000);
afterAll(removeWrittenFolders);

/** Far more than is needed, far less than a time that grows with the square of the text. */
const MAX_MS = 4000;
const LENGTH = 200_000;
const fill = (part: string): string => part.repeat(LENGTH / part.length);

describe("a long text is read in a time that grows with its length", () => {
  test.each([
    ["a heading with many blanks", "01-a.md", `# a${fill(" ")}b`],
    ["a srcset of commas", "01-a.html", `<img srcset="${fill(",")}">`],
    ["a srcset that ends with commas", "01-a.html", `<img srcset="a${fill(",")}">`],
    ["a srcset that ends with blanks", "01-a.html", `<img srcset="a,${fill(" ")}">`],
    ["an attribute of blanks", "01-a.html", `<a href=${fill(" ")}`],
    ["tags that are not closed", "01-a.mdx", fill("<A ")],
    ["tags with braces that are not closed", "01-a.mdx", fill('<A {" ')],
    ["control lines that are not closed", "01-a.mdx", fill("{#if ")],
    ["control lines with quotes that are not closed", "01-a.mdx", `{#if ${fill("`\\")}`],
    ["comments that are not closed", "01-a.mdx", fill("{/*")],
    ["an export with braces that are not closed", "01-a.mdx", `export const a = ${fill("{")}`],
    ["exports with braces that are not closed", "01-a.mdx", fill("export const a = {\n")],
    ["many fields", "01-a.md", `---\n${Array.from({ length: 40_000 }, (_, n) => `f${n}: 1\n`).join("")}---\n`],
    ["many chapters", "course.yaml", `name: A\nchapters:\n${fill("- name: C\n")}`],
  ])("%s", async (_what, file, text) => {
    const path = writeFolder({ [`01-part/${file}`]: text });
    const before = process.cpuUsage();
    await checkCatalog({
      project: "check",
      path,
      openSource: (inspection) => openSource(path, { assetBase: undefined, inspection }),
      report: () => undefined,
    });
    // Processor time: the clock also counts what other processes do.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(MAX_MS);
  });
});
