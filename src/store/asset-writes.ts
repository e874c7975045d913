// How assets come and go. Projects share them, and their locks are one each: so whoever relies on an asset marks it first, and
// whoever removes it looks at mark and references again under the lock of its row.
import { fillBlocks } from "../assets/fill-blocks.ts";
import { ContentDigest } from "../catalog/content-digest.ts";
import {
  ContentDiffers,
  MARK_LIFE_MS,
  PIECE_BYTES,
  type AssetFolder,
  type AssetStore,
  type ContentPlace,
  type NamedAsset,
} from "../assets/asset-store.ts";
import { findMediaType } from "../assets/media-types.ts";
import type { Connection, Engine } from "./engine.ts";
import { list, sql } from "./query.ts";
import { nextNumber } from "./schema.ts";

/** Pieces of one transaction: others wait for 1 MiB at most, which is in memory twice. */
const PIECES_PER_TRANSACTION = 16;
const MARKS_PER_TRANSACTION = 500;
const ROWS_PER_READ = 500;
/** An upload with this time counts as one that was cut off long ago. */
const LONG_AGO = "";

type AssetWrites = Pick<AssetStore, "listMissing" | "markAssets" | "storeAsset" | "pruneAssets">;

/** Writes of assets. With a folder, new content goes there; content that is in the database stays there. */
export function createAssetWrites(engine: Engine, folder: AssetFolder | undefined): AssetWrites {
  const { read, transact, transactPieces } = engine;
  return {
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
      // In one order, so that two imports cannot wait for each other's rows.
      const sorted = assets.toSorted((a, b) => (a.digest < b.digest ? -1 : Number(a.digest > b.digest)));
      const missing = new Set<string>();
      for (let from = 0; from < sorted.length; from += MARKS_PER_TRANSACTION) {
        const some = sorted.slice(from, from + MARKS_PER_TRANSACTION);
        const marked = await transact(async (transaction) => {
          const rows: (ContentRow | undefined)[] = [];
          for (const asset of some) rows.push(await mark(transaction, asset, at));
          return rows;
        });
        for (const [index, { digest, bytes }] of some.entries()) {
          const row = marked[index];
          const isThere = row !== undefined && (row.in_folder === 0 || (await folder?.holds(toPlace(row), bytes)));
          if (isThere !== true) missing.add(digest);
        }
      }
      return missing;
    },

    async storeAsset(asset, readContent, at) {
      const { digest } = asset;
      const inFolder = folder !== undefined;
      // Room on a full disk is needed to clean up what more than one transaction has written.
      const isLong = asset.bytes > PIECE_BYTES * PIECES_PER_TRANSACTION;
      const reserve = inFolder || !isLong ? undefined : await engine.reserveRoom();
      const contentId = await transact(async (transaction) => {
        const id = await nextNumber(transaction, "asset_contents");
        await transaction.run(sql`
          insert into asset_uploads (content_id, digest, in_folder, begun_at)
          values (${id}, ${digest}, ${inFolder ? 1 : 0}, ${at})`);
        return id;
      });
      try {
        const content = new ContentDigest();
        const parts = tap(readContent(), content);
        if (folder === undefined) await writeChunks(contentId, parts);
        else await folder.write({ digest, contentId }, parts);
        if (content.bytes !== asset.bytes || content.finish() !== digest) {
          throw new ContentDiffers(`The file of asset ${asset.name} changed while it was read. Run the command again.`);
        }
        await transact(async (transaction) => finishUpload(transaction, asset, contentId, inFolder, at));
      } catch (error) {
        await reserve?.giveBack();
        // When this fails too, the upload is still known, and a later prune removes it.
        await removeUpload({ content_id: contentId, digest, in_folder: inFolder ? 1 : 0 }).catch(() => undefined);
        throw error;
      } finally {
        await reserve?.giveBack();
      }
    },

    async pruneAssets(at) {
      const before = new Date(Date.parse(at) - MARK_LIFE_MS).toISOString();
      const pruned = { assets: 0, bytes: 0 };
      let after = "";
      for (;;) {
        const rows = await read.run(sql<{ digest: string }>`
          select a.digest from assets a where a.digest > ${after} and ${isUnused(before)}
          order by a.digest limit ${ROWS_PER_READ}`);
        const last = rows.at(-1);
        if (last === undefined) break;
        after = last.digest;
        for (const { digest } of rows) {
          const bytes = await transact(async (transaction) => giveUp(transaction, digest, before));
          if (bytes === undefined) continue;
          pruned.assets++;
          pruned.bytes += bytes;
        }
      }
      const uploads = await read.run(sql<ContentRow>`
        select content_id, digest, in_folder from asset_uploads where begun_at < ${before} order by content_id`);
      for (const upload of uploads) await removeUpload(upload);
      return pruned;
    },
  };

  async function writeChunks(contentId: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    let position = 0;
    for await (const block of fillBlocks(content, PIECES_PER_TRANSACTION * PIECE_BYTES)) {
      const rows: object[] = [];
      for (let from = 0; from < block.byteLength; from += PIECE_BYTES) {
        const piece = block.subarray(from, from + PIECE_BYTES);
        rows.push({ content_id: contentId, position: position++, content: piece });
      }
      await transactPieces(async (transaction) => transaction.insert("asset_chunks", rows));
    }
  }

  async function giveUp(transaction: Connection, digest: string, before: string): Promise<number | undefined> {
    const [row] = await transaction.run(sql<ContentRow & { bytes: number }>`
      select a.content_id, a.digest, a.in_folder, a.bytes from assets a
      where a.digest = ${digest} and ${isUnused(before)} ${engine.skipLocked}`);
    if (row === undefined) return undefined;
    await transaction.run(sql`delete from asset_names where digest = ${digest}`);
    await transaction.run(sql`delete from assets where digest = ${digest}`);
    await abandon(transaction, row, LONG_AGO);
    return row.bytes;
  }

  /** Removes content that no asset has, in short transactions, then what is known of it. */
  async function removeUpload(upload: ContentRow): Promise<void> {
    const { content_id: id } = upload;
    // One of a folder that is not named now stays known.
    if (upload.in_folder === 1 && folder === undefined) return;
    if (upload.in_folder === 1) await folder?.remove(toPlace(upload));
    for (;;) {
      const rows = await transactPieces(async (transaction) =>
        transaction.run(sql`
          delete from asset_chunks where content_id = ${id} and position in (
            select position from asset_chunks where content_id = ${id} order by position limit ${PIECES_PER_TRANSACTION}
          ) returning position`),
      );
      if (rows.length === 0) break;
    }
    await transact(async (transaction) => {
      await transaction.run(sql`delete from asset_uploads where content_id = ${id}`);
    });
  }
}

interface ContentRow {
  content_id: number;
  digest: string;
  in_folder: number;
}

const isUnused = (before: string) => sql`a.marked_at < ${before}
  and not exists (select 1 from version_assets r where r.digest = a.digest)`;

function toPlace({ digest, content_id: contentId }: ContentRow): ContentPlace {
  return { digest, contentId };
}

async function* tap(content: AsyncIterable<Uint8Array>, digest: ContentDigest): AsyncGenerator<Uint8Array> {
  for await (const bytes of content) {
    digest.add(bytes);
    yield bytes;
  }
}

/** Waits while the row is being removed; undefined when it is gone then. */
async function mark(transaction: Connection, asset: NamedAsset, at: string): Promise<ContentRow | undefined> {
  const [row] = await transaction.run(sql<ContentRow>`
    update assets set marked_at = case when marked_at < ${at} then ${at} else marked_at end
    where digest = ${asset.digest} returning content_id, digest, in_folder`);
  if (row !== undefined) await addName(transaction, asset);
  return row;
}

async function addName(transaction: Connection, { digest, name }: NamedAsset): Promise<void> {
  await transaction.run(sql`
    insert into asset_names (digest, name, media_type) values (${digest}, ${name}, ${findMediaType(name)})
    on conflict (digest, name) do nothing`);
}

/** Makes uploaded content that of its asset. Another import may have stored the same meanwhile: then this one stays. */
async function finishUpload(
  transaction: Connection,
  asset: NamedAsset,
  contentId: number,
  inFolder: boolean,
  at: string,
): Promise<void> {
  const { digest, bytes } = asset;
  await transaction.run(sql`delete from asset_uploads where content_id = ${contentId}`);
  const added = await transaction.run(sql`
    insert into assets (digest, content_id, in_folder, bytes, marked_at)
    values (${digest}, ${contentId}, ${inFolder ? 1 : 0}, ${bytes}, ${at})
    on conflict (digest) do nothing returning digest`);
  if (added.length === 0) {
    const [old] = await transaction.run(sql<ContentRow>`
      update assets set marked_at = ${at} where digest = ${digest} returning content_id, digest, in_folder`);
    await transaction.run(sql`
      update assets set content_id = ${contentId}, in_folder = ${inFolder ? 1 : 0} where digest = ${digest}`);
    if (old !== undefined) await abandon(transaction, old, at);
  }
  await addName(transaction, asset);
}

/** Makes content that no asset has any more an upload that was cut off. */
async function abandon(transaction: Connection, content: ContentRow, begunAt: string): Promise<void> {
  await transaction.run(sql`
    insert into asset_uploads (content_id, digest, in_folder, begun_at)
    values (${content.content_id}, ${content.digest}, ${content.in_folder}, ${begunAt})`);
}
