import { statfsSync } from "node:fs";

/** The space that imports leave free for a prune or a small import: a quarter of the disk if the disk is small. */
const SPARE_BYTES = 32 * 1024 * 1024;
const SPARE_SHARE = 4;

/** Returns the free space on a folder's disk, and the space that imports leave free there. */
export function measureSpare(folder: string): { freeBytes: number; spareBytes: number } {
  const { bavail, bsize, blocks } = statfsSync(folder);
  return { freeBytes: bavail * bsize, spareBytes: Math.min(SPARE_BYTES, (blocks * bsize) / SPARE_SHARE) };
}
