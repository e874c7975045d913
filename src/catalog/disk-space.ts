import { statfsSync } from "node:fs";

/** Imports leave this much space free for a prune or a small import, but at most a quarter of the disk. */
const SPARE_BYTES = 32 * 1024 * 1024;
const SPARE_SHARE = 4;

/** Returns the free space on a folder's disk, and the space that imports leave free there. */
export function measureSpare(folder: string): { freeBytes: number; spareBytes: number } {
  const { bavail, bsize, blocks } = statfsSync(folder);
  return { freeBytes: bavail * bsize, spareBytes: Math.min(SPARE_BYTES, (blocks * bsize) / SPARE_SHARE) };
}
