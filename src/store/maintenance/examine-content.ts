// Finds missing, damaged and unused files, and damaged bodies.
import { existsSync } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { PIECE_BYTES } from "../../assets/asset-store.ts";
import { SEAL_BYTES, decodeData, digestText, unseal, unsealText, type Bytes } from "../../catalog/body.ts";
import { ContentDigest } from "../../catalog/content-digest.ts";
import { nameAssetFile } from "../queries/asset-folder.ts";
import type { Connection } from "../engine.ts";
import { fault, RESTORE, skipped, warning, type Finding } from "../../catalog/findings.ts";
import { raw, sql, toRecord, type Row, type Query } from "../queries/query.ts";

const ROWS_PER_READ = 500;
const MAX_NAMED = 20;
const IMPORT_AGAIN = "Import the courses again or restore a backup.";
const DAMAGED = "is damaged: its digest differs";
const UNREADABLE = "cannot be read";

interface AssetRow {
  digest: string;
  contentId: number;
  bytes: number;
  inFolder: boolean;
  storedBytes: number;
}

export async function examineAssets(read: Connection, folder: string | undefined, deep: boolean): Promise<Finding[]> {
  const findings: Finding[] = [];
  const known = new Set<string>();
  let unchecked = 0;
  let missing = 0;
  for await (const asset of readAssets(read)) {
    if (asset.inFolder && folder === undefined) {
      unchecked++;
      continue;
    }
    if (asset.inFolder) known.add(nameAssetFile(asset));
    const damage = await findDamage(read, asset, folder, deep);
    if (damage !== undefined && missing++ < MAX_NAMED) {
      findings.push(fault(`The content of asset ${asset.digest} ${damage}. ${adviseOn(asset, damage, folder)}`));
    }
  }
  if (missing > MAX_NAMED) findings.push(fault(`More missing or damaged assets: ${missing - MAX_NAMED}.`));
  if (unchecked > 0) {
    findings.push(skipped(`Unchecked assets in a folder: ${unchecked}. Pass the folder with --assets dir:PATH.`));
  }
  if (folder !== undefined) findings.push(...(await examineFolder(read, folder, known)));
  return findings;
}

/**
 * Returns advice on damage. An import restores files that are missing from a folder, but it never checks content in the
 * database or files of the right size.
 */
function adviseOn(asset: AssetRow, damage: string, folder = ""): string {
  if (!asset.inFolder) return RESTORE;
  return [DAMAGED, UNREADABLE].includes(damage)
    ? `Remove ${join(folder, nameAssetFile(asset))}. ${IMPORT_AGAIN}`
    : IMPORT_AGAIN;
}

async function* readAssets(read: Connection): AsyncGenerator<AssetRow> {
  for (let after = ""; ;) {
    const rows = await read.run(sql<Row>`
      select a.digest, a.content_id, a.bytes, a.in_folder,
        coalesce((select sum(length(c.content) - ${raw(`${SEAL_BYTES}`)}) from asset_chunks c where c.content_id = a.content_id), 0) as stored_bytes
      from assets a where a.digest > ${after} order by a.digest limit ${ROWS_PER_READ}`);
    for (const row of rows) {
      const asset = toRecord<AssetRow>(row, "inFolder");
      yield { ...asset, storedBytes: Number(row["stored_bytes"]) };
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = String(last["digest"]);
  }
}

async function findDamage(
  read: Connection,
  asset: AssetRow,
  folder: string | undefined,
  deep: boolean,
): Promise<string | undefined> {
  const path = asset.inFolder && folder !== undefined ? join(folder, nameAssetFile(asset)) : undefined;
  const size =
    path === undefined
      ? asset.storedBytes
      : await stat(path).then(
          ({ size: bytes }) => bytes,
          () => 0,
        );
  const where = path === undefined ? "is not in the database" : `is not at ${path}`;
  if (size === 0 && asset.bytes > 0) return where;
  if (size !== asset.bytes) return `has ${size} instead of ${asset.bytes} bytes`;
  if (!deep) return undefined;
  const digest = path === undefined ? await digestChunks(read, asset) : await digestFile(path).catch(() => undefined);
  if (digest === undefined) return UNREADABLE;
  return digest === asset.digest ? undefined : DAMAGED;
}

/** Returns "" for a piece with a broken seal, which servers do not send. */
async function digestChunks(read: Connection, { contentId, bytes }: AssetRow): Promise<string> {
  const digest = new ContentDigest();
  for (let position = 0; position * PIECE_BYTES < bytes; position++) {
    const [row] = await read.run(sql<{ content: Bytes }>`
      select content from asset_chunks where content_id = ${contentId} and position = ${position}`);
    try {
      if (row !== undefined) digest.add(unseal(row.content));
    } catch {
      return "";
    }
  }
  return digest.finish();
}

async function digestFile(path: string): Promise<string> {
  const digest = new ContentDigest();
  const file = await open(path);
  try {
    for await (const part of file.createReadStream({ highWaterMark: PIECE_BYTES, autoClose: false })) {
      digest.add(part as Uint8Array);
    }
  } finally {
    await file.close();
  }
  return digest.finish();
}

/** Finds files that belong to no asset and that no import is writing. */
async function examineFolder(read: Connection, folder: string, known: ReadonlySet<string>): Promise<Finding[]> {
  if (!existsSync(folder)) {
    if (known.size === 0) return [];
    return [fault(`There is no folder ${folder}. Pass the folder that imports use, or restore this folder.`)];
  }
  const uploads = await read.run(sql<Row>`select digest, content_id from asset_uploads where in_folder = 1`);
  const written = new Set(uploads.map((row) => nameAssetFile(toRecord<AssetRow>(row))));
  const unused: string[] = [];
  for (const part of await readdir(folder, { withFileTypes: true })) {
    const names = part.isDirectory() ? await readdir(join(folder, part.name)) : [];
    for (const name of names) {
      const file = join(part.name, name);
      if (!known.has(file) && !written.has(file)) unused.push(join(folder, file));
    }
  }
  const [first] = unused.sort();
  if (first === undefined) return [];
  const what = `Files in ${folder} that belong to no asset: ${unused.length} (first: ${first}); --json lists all.`;
  const next = "Remove such files while no import runs, unless a backup or another database uses the folder.";
  return [{ ...warning(`${what} ${next}`), files: unused }];
}

/** A small number, because a body can take up 16 MiB. */
const BODIES_PER_READ = 8;

interface StoredBody {
  id: number;
  name: string;
  digest: string;
  body: Bytes;
}

const BODIES: [what: string, table: string, columns: string][] = [
  [
    "The document of",
    "course_versions",
    "id, 'course ' || course_id || ' of ' || project as name, course_digest as digest, course as body",
  ],
  [
    "The list of lessons of",
    "course_versions",
    "id, 'course ' || course_id || ' of ' || project as name, lesson_list_digest as digest, lesson_list as body",
  ],
  ["The tree of", "course_trees", "version_id as id, 'version ' || version_id as name, digest, body"],
  [
    "The document of",
    "lesson_versions",
    "id, 'lesson ' || lesson_id || ' of course ' || course_id || ' of ' || project as name, digest, body",
  ],
];

/** Reads every body, names the first twenty damaged ones, and counts the others. */
export async function listDamagedBodies(read: Connection): Promise<string[]> {
  const damaged: string[] = [];
  for (const [what, table, columns] of BODIES) {
    const select = raw(`select ${columns} from ${table}`);
    for await (const row of readAll<StoredBody>(read, select, raw(table === "course_trees" ? "version_id" : "id"))) {
      if (!isSound(row)) damaged.push(`${what} ${row.name} (${table} ${row.id}) is damaged.`);
    }
  }
  const summaries = sql`select id, course_id as name, summary from course_versions`;
  for await (const row of readAll<{ id: number; name: string; summary: string }>(read, summaries, sql`id`)) {
    try {
      unsealText(row.summary);
    } catch {
      damaged.push(`The list entry of course ${row.name} (course_versions ${row.id}) is damaged.`);
    }
  }
  const more = damaged.length - MAX_NAMED;
  return more > 0 ? [...damaged.slice(0, MAX_NAMED), `More damaged bodies: ${more}.`] : damaged;
}

function isSound({ digest, body }: StoredBody): boolean {
  try {
    return digestText(decodeData(unseal(body))) === digest;
  } catch {
    return false;
  }
}

async function* readAll<T extends { id: number }>(read: Connection, select: Query, id: Query): AsyncGenerator<T> {
  for (let after = -1; ;) {
    const rows = await read.run(sql<T>`${select} where ${id} > ${after} order by ${id} limit ${BODIES_PER_READ}`);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}
