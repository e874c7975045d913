// Contents of assets as files of a folder, beside a database that says which there are. A file never changes.
import { closeSync, constants, fsyncSync, mkdirSync, openSync } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ContentMissing, type AssetFolder, type ContentPlace } from "../assets/asset-store.ts";

/** A folder for contents, made when the first is written. Only its owner can read what is in it. */
export function createAssetFolder(root: string): AssetFolder {
  // A folder with a million entries is slow on some file systems.
  const pathOf = ({ digest, contentId }: ContentPlace): string =>
    join(root, digest.slice(0, 2), `${digest}-${contentId}`);
  return {
    async write(place, content) {
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
    async read(place, from, end) {
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
    async holds(place, bytes) {
      const found = await stat(pathOf(place)).catch(() => undefined);
      return found?.isFile() === true && found.size === bytes;
    },
    remove: async (place) => rm(pathOf(place), { force: true }),
  };
}

// A new entry of a folder is on the disk when the folder is.
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
