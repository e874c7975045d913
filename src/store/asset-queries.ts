import {
  ContentMissing,
  PIECE_BYTES,
  type AssetFolder,
  type AssetReader,
  type StoredAsset,
} from "../assets/asset-store.ts";
import type { Engine } from "./engine.ts";
import { sql } from "./query.ts";

/** Reads of assets. `folder` is undefined where no folder is named; what lies in one cannot be read then. */
export function createAssetQueries({ readPieces }: Engine, folder: AssetFolder | undefined): AssetReader {
  return {
    async findAsset(digest, name) {
      const [row] = await readPieces.run(sql<AssetRow>`
        select a.content_id, a.in_folder, a.bytes, n.media_type from asset_names n join assets a on a.digest = n.digest
        where n.digest = ${digest} and n.name = ${name}`);
      return row && toStoredAsset(digest, name, row);
    },

    async readPiece(asset, from, end) {
      const { contentId, inFolder, digest } = asset;
      const position = Math.floor(from / PIECE_BYTES);
      const start = position * PIECE_BYTES;
      const pieceEnd = Math.min(end, start + PIECE_BYTES);
      if (inFolder) {
        if (folder === undefined) throw new ContentMissing(`asset ${digest} lies in a folder, and --assets names none`);
        return folder.read(asset, from, pieceEnd);
      }
      const [row] = await readPieces.run(sql<{ content: Uint8Array<ArrayBuffer> }>`
        select content from asset_chunks where content_id = ${contentId} and position = ${position}`);
      if (row === undefined || row.content.byteLength < pieceEnd - start) {
        throw new ContentMissing(`piece ${position} of asset ${digest} is not there any more`);
      }
      return row.content.subarray(from - start, pieceEnd - start);
    },
  };
}

interface AssetRow {
  content_id: number;
  in_folder: number;
  bytes: number;
  media_type: string;
}

function toStoredAsset(digest: string, name: string, row: AssetRow): StoredAsset {
  return {
    digest,
    name,
    bytes: row.bytes,
    mediaType: row.media_type,
    contentId: row.content_id,
    inFolder: row.in_folder === 1,
  };
}
