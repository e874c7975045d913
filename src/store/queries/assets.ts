// Reads, stores and prunes assets. All projects share the assets, but each project has its own lock. An import
// therefore marks an asset before referring to it, and a prune rechecks its mark and references with the row locked.
import {
  AssetsPruned,
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
import type { AssetFolder } from "./asset-folder.ts";
import { list, raw, sql, toRecord, type Query, type Row } from "./query.ts";
import { nextNumber } from "../schema.ts";

/** The number of chunks per transaction. They take up 1 MiB, which is in memory twice. */
const PIECES_PER_TRANSACTION = 16;
const MARKS_PER_TRANSACTION = 500;
const ROWS_PER_READ = 500;
/** The start time of a released upload. It precedes all other times, so that the next prune removes the upload. */
const LONG_AGO = "";

type Content = Pick<StoredAsset, "digest" | "contentId" | "inFolder">;
type SizedContent = Content & Pick<StoredAsset, "bytes">;

const CONTENT = sql`content_id, digest, in_folder`;

/** Creates the asset store. New content goes to `folder` if given; without it, content in a folder cannot be read. */
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
      const content = row === undefined ? new Uint8Array() : unseal(row.content, `Asset ${digest}`);
      // A damaged size of the asset would cut off its last piece.
      if (content.byteLength !== Math.min(PIECE_BYTES, asset.bytes - start)) {
        throw new ContentMissing(`piece ${position} of asset ${digest} is missing`);
      }
      return content.subarray(from - start, pieceEnd - start);
    },

    async listMissing(digests) {
      const missing = new Set(digests);
      const all = [...missing];
      for (let from = 0; from < all.length; from += ROWS_PER_READ) {
        const some = list(all.slice(from, from + ROWS_PER_READ));
        const rows = await read.run(sql<Row>`select ${CONTENT}, bytes from assets where digest in ${some}`);
        for (const row of rows) {
          const { bytes, ...content } = toRecord<SizedContent>(row, "inFolder");
          if (folder === undefined || (await isThere(content, bytes))) missing.delete(content.digest);
        }
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
          if (content === undefined || !(await isThere(content, bytes))) missing.add(digest);
        }
      }
      return missing;
    },

    async storeAsset(asset, readContent, at) {
      const { digest } = asset;
      const inFolder = folder !== undefined;
      folder?.requireSpace(asset.bytes);
      const content = await transact(async (transaction) => {
        const upload: Content = { contentId: 0, digest, inFolder };
        // The folder can already contain files with later numbers, which belong to a backup or another database.
        do upload.contentId = await nextNumber(transaction, "asset_contents");
        while (folder?.has(upload) === true);
        await transaction.insert("asset_uploads", [{ ...upload, begunAt: at }]);
        return upload;
      });
      try {
        const digester = new ContentDigest();
        const parts = tap(readContent(), digester);
        if (folder === undefined) await writeChunks(content, parts);
        else await folder.write(content, parts);
        if (digester.bytes !== asset.bytes || digester.finish() !== digest) {
          throw new ContentDiffers(`The file of asset ${asset.name} changed while it was read. Run the command again.`);
        }
        return await transact(async (transaction) => finishUpload(transaction, asset, content, at));
      } catch (error) {
        // If this fails, too, a later prune removes the upload.
        await removeUpload(content).catch(() => undefined);
        throw error;
      }
    },

    async discardAssets(digests, at) {
      for (const digest of digests) {
        const isOwn = sql`a.marked_at = ${at} and ${IS_UNREFERENCED}`;
        const removed = await transact(async (transaction) => removeAsset(transaction, digest, isOwn));
        if (removed !== undefined) await removeUpload(removed);
      }
    },

    async pruneAssets(at) {
      const isUnused = sql`${isDayAway("a.marked_at", at)} and ${IS_UNREFERENCED}`;
      const pruned = { assets: 0, bytes: 0 };
      for (let after = ""; ;) {
        const rows = await read.run(sql<{ digest: string }>`
          select a.digest from assets a where a.digest > ${after} and ${isUnused}
          order by a.digest limit ${ROWS_PER_READ}`);
        const last = rows.at(-1);
        if (last === undefined) break;
        after = last.digest;
        for (const { digest } of rows) {
          const removed = await transact(async (transaction) => removeAsset(transaction, digest, isUnused));
          if (removed === undefined) continue;
          pruned.assets++;
          pruned.bytes += removed.bytes;
        }
      }
      // Claimed, so that an import that still writes one fails.
      const uploads = await transact(async (transaction) =>
        transaction.run(sql<Row>`
          update asset_uploads set begun_at = ${LONG_AGO} where ${isDayAway("begun_at", at)} returning ${CONTENT}`),
      );
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

  /** Returns true for content in the database, and for a file of the right size. */
  async function isThere(content: Content, bytes: number): Promise<boolean> {
    return !content.inFolder || (await folder?.holds(content, bytes)) === true;
  }

  /** Removes an asset that meets the condition. Leaves the content to `removeUpload`. */
  async function removeAsset(
    transaction: Connection,
    digest: string,
    condition: Query,
  ): Promise<SizedContent | undefined> {
    const [row] = await transaction.run(sql<Row>`
      select a.content_id, a.digest, a.in_folder, a.bytes from assets a
      where a.digest = ${digest} and ${condition} ${skipLocked}`);
    if (row === undefined) return undefined;
    const { bytes, ...content } = toRecord<SizedContent>(row, "inFolder");
    await transaction.run(sql`delete from asset_names where digest = ${digest}`);
    await transaction.run(sql`delete from assets where digest = ${digest}`);
    await transaction.insert("asset_uploads", [{ ...content, begunAt: LONG_AGO }]);
    return { ...content, bytes };
  }

  /** Removes unreferenced content in short transactions, then its upload row. */
  async function removeUpload(upload: Content): Promise<void> {
    const { contentId: id, inFolder } = upload;
    // Without its folder, the content cannot be deleted, so keep the upload listed.
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
/** Returns SQL that is true if a column's time is a day before `at`, or a day after: then a clock was wrong. */
function isDayAway(column: string, at: string): Query {
  const [before, after] = [-MARK_LIFE_MS, MARK_LIFE_MS].map((ms) => new Date(Date.parse(at) + ms).toISOString());
  return sql`not (${raw(column)} between ${before ?? ""} and ${after ?? ""})`;
}

async function* tap(content: AsyncIterable<Uint8Array>, digest: ContentDigest): AsyncGenerator<Uint8Array> {
  for await (const bytes of content) {
    digest.add(bytes);
    yield bytes;
  }
}

/**
 * Marks an asset. If another transaction is removing the row, waits for it and returns undefined. Always changes the
 * mark of another import, so that the asset survives if that import fails.
 */
async function mark(transaction: Connection, asset: NamedAsset, at: string): Promise<Content | undefined> {
  const [row] = await transaction.run(sql<Row & { marked_at: string }>`
    update assets set marked_at = case when marked_at < ${at} then ${at} else marked_at end
    where digest = ${asset.digest} returning ${CONTENT}, marked_at`);
  if (row === undefined) return undefined;
  const { marked_at: marked, ...content } = row;
  if (marked !== at) {
    const later = new Date(Date.parse(marked) + 1).toISOString();
    await transaction.run(sql`update assets set marked_at = ${later} where digest = ${asset.digest}`);
  }
  await addName(transaction, asset);
  return toRecord<Content>(content, "inFolder");
}

async function addName(transaction: Connection, { digest, name }: NamedAsset): Promise<void> {
  await transaction.run(sql`
    insert into asset_names (digest, name) values (${digest}, ${name})
    on conflict (digest, name) do nothing`);
}

/** Attaches uploaded content to its asset, and returns true if the asset is new. Releases earlier content. */
async function finishUpload(
  transaction: Connection,
  asset: NamedAsset,
  content: Content,
  at: string,
): Promise<boolean> {
  const { digest, contentId } = content;
  const inFolder = content.inFolder ? 1 : 0;
  const kept = await transaction.run(sql`
    delete from asset_uploads where content_id = ${contentId} and begun_at = ${at} returning content_id`);
  if (kept.length === 0) throw new AssetsPruned();
  const added = await transaction.run(sql`
    insert into assets (digest, content_id, in_folder, bytes, marked_at)
    values (${digest}, ${contentId}, ${inFolder}, ${asset.bytes}, ${at})
    on conflict (digest) do nothing returning digest`);
  if (added.length > 0) {
    await addName(transaction, asset);
    return true;
  }
  const old = await mark(transaction, asset, at);
  await transaction.run(
    sql`update assets set content_id = ${contentId}, in_folder = ${inFolder} where digest = ${digest}`,
  );
  if (old !== undefined) await transaction.insert("asset_uploads", [{ ...old, begunAt: at }]);
  return false;
}
