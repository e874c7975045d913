// Reads mutated sources in its own process: courses of every format in this repository, and archives of them, with
// changed, truncated and mixed bytes. `bun read-mutations.ts SEED COUNT` names each source before reading it, and
// prints faults.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { ExpectedError } from "../src/catalog/expected-error.ts";
import { openArchiveSource } from "../src/content/readers/archive.ts";
import { openFolderSource } from "../src/content/readers/folder.ts";
import { openNdjsonFile } from "../src/content/readers/ndjson.ts";
import type { ContentSource } from "../src/content/source.ts";
import { makeTar, makeZip } from "../test/support/archives.ts";
import { createRandom, type Random } from "../test/support/random.ts";

type Files = { path: string; content: Buffer }[];

const PROJECT = join(import.meta.dir, "..");
const FOLDERS = ["test/samples", "test/faults/courses", "test/stored/1.0.0/courses", "examples/catalog"];
const SLOW_MS = 20_000;

const load = (folder: string): Files =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(folder, path), content: readFileSync(path) }));

/** Changes, cuts, repeats or mixes bytes. */
function mutate(random: Random, bytes: Buffer, other: Buffer): Buffer {
  const from = random.below(bytes.length + 1);
  const end = from + random.below(bytes.length - from + 1);
  const [head, middle, tail] = [bytes.subarray(0, from), bytes.subarray(from, end), bytes.subarray(end)];
  return random.pick([
    () => {
      const changed = Buffer.from(bytes);
      for (let times = random.below(8); times >= 0 && changed.length > 0; times--)
        changed[random.below(changed.length)] = random.below(256);
      return changed;
    },
    () => head,
    () => Buffer.concat([head, tail]),
    () => Buffer.concat([head, other.subarray(random.below(other.length + 1)), tail]),
    () =>
      Buffer.concat([head, ...Array.from({ length: 1 + random.below(50) }, () => middle.subarray(0, 20_000)), tail]),
  ])();
}

function write(root: string, files: Files): void {
  for (const { path, content } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

const [seed = 0, count = 0] = process.argv.slice(2).map(Number);
const samples = FOLDERS.map((folder) => join(PROJECT, folder)).flatMap((folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => load(join(folder, name))),
);
const lines = readFileSync(join(PROJECT, "test/stored/1.0.0/lines.ndjson"));
const scratch = mkdtempSync(join(tmpdir(), "lectern-mutations-"));
const options = { assetBase: undefined };
let courses = 0;

async function read(source: ContentSource): Promise<void> {
  for await (const _course of source.read(() => {})) courses++;
  await source.close?.();
}

/** Creates a mutated source and opens it. */
function openMutation(random: Random, root: string): ContentSource {
  const files = random.pick(samples).map((file) => ({ ...file }));
  const other = (): Buffer => random.pick(random.pick(samples)).content;
  if (random.oneIn(6)) {
    const path = join(root, "courses.ndjson");
    writeFileSync(path, mutate(random, lines, random.oneIn(2) ? lines : other()));
    return openNdjsonFile(path, options);
  }
  for (let times = random.below(4); times > 0; times--) {
    const file = random.pick(files);
    file.content = mutate(random, file.content, other());
  }
  const kind = random.pick(["folder", "a.zip", "a.tar", "a.tgz"]);
  if (kind === "folder") {
    write(join(root, "source"), files);
    return openFolderSource(join(root, "source"), options);
  }
  const bytes = kind === "a.zip" ? makeZip(files) : kind === "a.tar" ? makeTar(files) : gzipSync(makeTar(files));
  const archive = random.oneIn(3) ? Buffer.from(bytes) : mutate(random, Buffer.from(bytes), other());
  writeFileSync(join(root, kind), archive);
  return openArchiveSource(join(root, kind), options);
}

for (let round = 0; round < count; round++) {
  console.log(`round ${round}`);
  const root = join(scratch, String(round));
  mkdirSync(root);
  const startedAt = performance.now();
  try {
    await read(openMutation(createRandom(seed + round), root));
  } catch (error) {
    if (!(error instanceof ExpectedError))
      console.log(
        `fault round ${round}: ${error instanceof Error ? error.stack?.slice(0, 400).replaceAll("\n", " ") : String(error)}`,
      );
  }
  const tookMs = performance.now() - startedAt;
  if (tookMs > SLOW_MS) console.log(`fault round ${round}: took ${tookMs.toFixed(0)} ms`);
  rmSync(root, { recursive: true });
}
console.log(`courses ${courses}`);
rmSync(scratch, { recursive: true });
