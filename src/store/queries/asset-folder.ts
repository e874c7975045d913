import { closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ContentMissing, type StoredAsset } from "../../assets/asset-store.ts";
import { measureSpare } from "../../catalog/disk-space.ts";
import { diskFull } from "../engine.ts";

type ContentPlace = Pick<StoredAsset, "digest" | "contentId">;
export type AssetFolder = ReturnType<typeof createAssetFolder>;

/**
 * Returns the content's path in the asset folder. Files are in subfolders, because folders with a million entries are
 * slow on some file systems.
 */
export function nameAssetFile({ digest, contentId }: ContentPlace): string {
  return join(digest.slice(0, 2), `${digest}-${contentId}`);
}

/**
 * Stores content as files in a folder, created on first use. Files never change, and only their owner can read them.
 */
export function createAssetFolder(root: string, measureLog: () => number) {
  const pathOf = (place: ContentPlace): string => join(root, nameAssetFile(place));
  const checkSpace = (bytes: number): void => {
    const { freeBytes, spareBytes } = measureSpare(root);
    if (freeBytes - bytes - measureLog() < spareBytes) throw diskFull(`the disk of ${root}`, undefined);
  };
  return {
    /** Throws ExpectedError if a file of this size would use the space that imports leave free. */
    requireSpace(bytes: number): void {
      mkdirSync(root, { recursive: true, mode: 0o700 });
      checkSpace(bytes);
    },
    /** Also returns true for files of another database, such as the one that a backup replaced. */
    has: (place: ContentPlace): boolean => existsSync(pathOf(place)),
    async write(place: ContentPlace, content: AsyncIterable<Uint8Array>): Promise<void> {
      const path = pathOf(place);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(path, "wx", 0o600);
      try {
        for await (const part of content) {
          // Checked for each part, since other imports write at the same time.
          checkSpace(part.byteLength);
          await file.writeFile(part);
        }
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

// A new entry is durable only after an fsync of its folder.
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
