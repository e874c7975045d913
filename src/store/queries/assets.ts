// Reads, stores and prunes assets. All projects share them, but each has its own lock: an import marks an asset before
// referring to it, and a prune checks the mark and the references again under a lock on the asset's row.
import { closeSync, constants, fsyncSync, mkdirSync, openSync } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  ContentDiffers,
  ContentMissing,
  MARK_LIFE_MS,
  PIECE_BYTES,
  type AssetStore,
  type NamedAsset,
  type StoredAsset,
} from "../../assets/asset-store.ts";
import { fillBlocks } from "../../assets/fill-blocks.ts";
import { findMediaType } from "../../assets/media-types.ts";
import { seal, unseal, type Bytes } from "../../catalog/body.ts";
import { ContentDigest } from "../../catalog/content-digest.ts";
import type { Connection, Engine } from "../engine.ts";
import { list, sql, toRecord, type Row } from "./query.ts";
import { nextNumber } from "../schema.ts";

/** The chunks per transaction: 1 MiB, which is in memory twice. */
const PIECES_PER_TRANSACTION = 16;
const MARKS_PER_TRANSACTION = 500;
const ROWS_PER_READ = 500;
/** The start time of a released upload: before all others, so that the next prune removes it. */
const LONG_AGO = "";

type Content = Pick<StoredAsset, "digest" | "contentId" | "inFolder">;
type ContentPlace = Pick<Content, "digest" | "contentId">;
type AssetFolder = ReturnType<typeof createAssetFolder>;

const CONTENT = sql`content_id, digest, in_folder`;
const toContent = (row: Row | undefined): Content | undefined => row && toRecord<Content>(row, "inFolder");

/** Creates the assets. New content goes to `folder` if given; content in a folder cannot be read without it. */
export function createAssets(
  { read, readPieces, transact, transactContent, skipLocked }: Engine,
  folder?: AssetFolder,
): AssetStore {
  return {
    async findAsset(digest, name) {
      const [row] = await read.run(sql<Row>`
        select a.digest, n.name, a.content_id, a.in_folder, a.bytes
        from asset_names n join assets a on a.digest = n.digest where n.digest = ${digest} and n.name = ${name}`);
      return row && { ...toRecord<Omit<StoredAsset, "mediaType">>(row, "inFolder"), mediaType: findMediaType(name) };
    },

    async readPiece(asset, from, end) {
      const { contentId, inFolder, digest } = asset;
      const position = Math.floor(from / PIECE_BYTES);
      const start = position * PIECE_BYTES;
      const pieceEnd = Math.min(end, start + PIECE_BYTES);
      if (inFolder) {
        if (folder === undefined) throw new ContentMissing(`asset ${digest} is in a folder; set --assets`);
        return folder.read(asset, from, pieceEnd);
      }
      const [row] = await readPieces.run(sql<{ content: Bytes }>`
        select content from asset_chunks where content_id = ${contentId} and position = ${position}`);
      const content = row && unseal(row.content, `Asset ${digest}`);
      if (content === undefined || content.byteLength < pieceEnd - start) {
        throw new ContentMissing(`piece ${position} of asset ${digest} is missing`);
      }
      return content.subarray(from - start, pieceEnd - start);
    },

    async listMissing(digests) {
      const missing = new Set(digests);
      const all = [...missing];
      for (let from = 0; from < all.length; from += ROWS_PER_READ) {
        const some = list(all.slice(from, from + ROWS_PER_READ));
        const rows = await read.run(sql<{ digest: string }>`select digest from assets where digest in ${some}`);
        for (const { digest } of rows) missing.delete(digest);
      }
      return missing;
    },

    async markAssets(assets, at) {
      // Sorted, so that two imports cannot deadlock.
      const sorted = assets.toSorted((a, b) => (a.digest < b.digest ? -1 : Number(a.digest > b.digest)));
      const missing = new Set<string>();
      for (let from = 0; from < sorted.length; from += MARKS_PER_TRANSACTION) {
        const some = sorted.slice(from, from + MARKS_PER_TRANSACTION);
        const marked = await transact(async (transaction) => {
          const contents: (Content | undefined)[] = [];
          for (const asset of some) contents.push(await mark(transaction, asset, at));
          return contents;
        });
        for (const [index, { digest, bytes }] of some.entries()) {
          const content = marked[index];
          const isThere = content !== undefined && (!content.inFolder || (await folder?.holds(content, bytes)));
          if (isThere !== true) missing.add(digest);
        }
      }
      return missing;
    },

    async storeAsset(asset, readContent, at) {
      const { digest } = asset;
      const inFolder = folder !== undefined;
      const content = await transact(async (transaction) => {
        const upload: Content = { contentId: await nextNumber(transaction, "asset_contents"), digest, inFolder };
        await transaction.insert("asset_uploads", [{ ...upload, begunAt: at }]);
        return upload;
      });
      try {
        const digester = new ContentDigest();
        const parts = tap(readContent(), digester);
        if (folder === undefined) await writeChunks(content, parts);
        else await folder.write(content, parts);
        if (digester.bytes !== asset.bytes || digester.finish() !== digest) {
          throw new ContentDiffers(`The file of asset ${asset.name} changed during the read. Run the command again.`);
        }
        await transact(async (transaction) => finishUpload(transaction, asset, content, at));
      } catch (error) {
        // If this fails too, a later prune removes the upload.
        await removeUpload(content).catch(() => undefined);
        throw error;
      }
    },

    async pruneAssets(at) {
      const before = new Date(Date.parse(at) - MARK_LIFE_MS).toISOString();
      const pruned = { assets: 0, bytes: 0 };
      for (let after = ""; ;) {
        const rows = await read.run(sql<{ digest: string }>`
          select a.digest from assets a where a.digest > ${after} and ${isUnused(before)}
          order by a.digest limit ${ROWS_PER_READ}`);
        const last = rows.at(-1);
        if (last === undefined) break;
        after = last.digest;
        for (const { digest } of rows) {
          const bytes = await transact(async (transaction) => removeAsset(transaction, digest, before));
          if (bytes === undefined) continue;
          pruned.assets++;
          pruned.bytes += bytes;
        }
      }
      const uploads = await read.run(sql<Row>`
        select ${CONTENT} from asset_uploads where begun_at < ${before} order by content_id`);
      for (const upload of uploads) await removeUpload(toRecord<Content>(upload, "inFolder"));
      return pruned;
    },

    async measureUnreferenced() {
      const [row] = await read.run(sql<{ assets: number; bytes: number; marked: string | null }>`
        select count(*) as assets, coalesce(sum(a.bytes), 0) as bytes, max(a.marked_at) as marked
        from assets a where ${IS_UNREFERENCED}`);
      const until = new Date(Date.parse(row?.marked ?? new Date(0).toISOString()) + MARK_LIFE_MS).toISOString();
      return { assets: Number(row?.assets), bytes: Number(row?.bytes), until };
    },
  };

  async function writeChunks({ contentId }: Content, content: AsyncIterable<Uint8Array>): Promise<void> {
    let position = 0;
    for await (const block of fillBlocks(content, PIECES_PER_TRANSACTION * PIECE_BYTES)) {
      const chunks: object[] = [];
      for (let from = 0; from < block.byteLength; from += PIECE_BYTES) {
        chunks.push({ contentId, position: position++, content: seal(block.subarray(from, from + PIECE_BYTES)) });
      }
      await transactContent(async (transaction) => transaction.insert("asset_chunks", chunks));
    }
  }

  async function removeAsset(transaction: Connection, digest: string, before: string): Promise<number | undefined> {
    const [row] = await transaction.run(sql<Row>`
      select a.content_id, a.digest, a.in_folder, a.bytes from assets a
      where a.digest = ${digest} and ${isUnused(before)} ${skipLocked}`);
    if (row === undefined) return undefined;
    const { bytes, ...content } = toRecord<Content & { bytes: number }>(row, "inFolder");
    await transaction.run(sql`delete from asset_names where digest = ${digest}`);
    await transaction.run(sql`delete from assets where digest = ${digest}`);
    await transaction.insert("asset_uploads", [{ ...content, begunAt: LONG_AGO }]);
    return bytes;
  }

  /** Removes unreferenced content in short transactions, then its upload row. */
  async function removeUpload(upload: Content): Promise<void> {
    const { contentId: id, inFolder } = upload;
    // Without its folder, the content cannot be deleted: keep the upload listed.
    if (inFolder && folder === undefined) return;
    if (inFolder) await folder?.remove(upload);
    for (;;) {
      const rows = await transact(async (transaction) =>
        transaction.run(sql`
          delete from asset_chunks where content_id = ${id} and position in (
            select position from asset_chunks where content_id = ${id} order by position limit ${PIECES_PER_TRANSACTION}
          ) returning position`),
      );
      if (rows.length === 0) break;
    }
    await transact(async (transaction) => transaction.run(sql`delete from asset_uploads where content_id = ${id}`));
  }
}

const IS_UNREFERENCED = sql`not exists (select 1 from version_assets r where r.digest = a.digest)`;
const isUnused = (before: string) => sql`a.marked_at < ${before} and ${IS_UNREFERENCED}`;

async function* tap(content: AsyncIterable<Uint8Array>, digest: ContentDigest): AsyncGenerator<Uint8Array> {
  for await (const bytes of content) {
    digest.add(bytes);
    yield bytes;
  }
}

/** Marks an asset. Waits while another transaction removes the row, then returns undefined. */
async function mark(transaction: Connection, asset: NamedAsset, at: string): Promise<Content | undefined> {
  const [row] = await transaction.run(sql<Row>`
    update assets set marked_at = case when marked_at < ${at} then ${at} else marked_at end
    where digest = ${asset.digest} returning ${CONTENT}`);
  if (row !== undefined) await addName(transaction, asset);
  return toContent(row);
}

async function addName(transaction: Connection, { digest, name }: NamedAsset): Promise<void> {
  await transaction.run(sql`
    insert into asset_names (digest, name) values (${digest}, ${name})
    on conflict (digest, name) do nothing`);
}

/** Attaches uploaded content to its asset. Releases content that another import stored meanwhile. */
async function finishUpload(transaction: Connection, asset: NamedAsset, content: Content, at: string): Promise<void> {
  const { digest, contentId } = content;
  const inFolder = content.inFolder ? 1 : 0;
  await transaction.run(sql`delete from asset_uploads where content_id = ${contentId}`);
  const added = await transaction.run(sql`
    insert into assets (digest, content_id, in_folder, bytes, marked_at)
    values (${digest}, ${contentId}, ${inFolder}, ${asset.bytes}, ${at})
    on conflict (digest) do nothing returning digest`);
  if (added.length === 0) {
    const [row] = await transaction.run(sql<Row>`
      update assets set marked_at = ${at} where digest = ${digest} returning ${CONTENT}`);
    const old = toContent(row);
    await transaction.run(
      sql`update assets set content_id = ${contentId}, in_folder = ${inFolder} where digest = ${digest}`,
    );
    if (old !== undefined) await transaction.insert("asset_uploads", [{ ...old, begunAt: at }]);
  }
  await addName(transaction, asset);
}

/**
 * Returns the content's path in the assets folder. Nested, because folders with a million entries are slow on some file
 * systems.
 */
export function nameAssetFile({ digest, contentId }: ContentPlace): string {
  return join(digest.slice(0, 2), `${digest}-${contentId}`);
}

/**
 * Stores content as files in a folder, created on first use. Files never change, and only their owner can read them.
 */
export function createAssetFolder(root: string) {
  const pathOf = (place: ContentPlace): string => join(root, nameAssetFile(place));
  return {
    async write(place: ContentPlace, content: AsyncIterable<Uint8Array>): Promise<void> {
      const path = pathOf(place);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(path, "wx", 0o600);
      try {
        for await (const part of content) await file.writeFile(part);
        await file.sync();
      } finally {
        await file.close();
      }
      syncFolder(dirname(path));
      syncFolder(root);
    },
    async read(place: ContentPlace, from: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
      const bytes = new Uint8Array(end - from);
      const path = pathOf(place);
      const file = await open(path, constants.O_RDONLY).catch((error: NodeJS.ErrnoException) => {
        throw error.code === "ENOENT" ? new ContentMissing(`there is no file ${path}`) : error;
      });
      try {
        for (let filled = 0; filled < bytes.byteLength;) {
          const { bytesRead } = await file.read(bytes, filled, bytes.byteLength - filled, from + filled);
          if (bytesRead === 0) throw new ContentMissing(`${path} is shorter than it was`);
          filled += bytesRead;
        }
      } finally {
        await file.close();
      }
      return bytes;
    },
    async holds(place: ContentPlace, bytes: number): Promise<boolean> {
      const found = await stat(pathOf(place)).catch(() => undefined);
      return found?.isFile() === true && found.size === bytes;
    },
    remove: async (place: ContentPlace): Promise<void> => rm(pathOf(place), { force: true }),
  };
}

// fsync of the folder makes a new entry durable.
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
