// A disk of a few megabytes that tests can fill: a file system in memory, visible only to processes started through it,
// and deleted with its creator. Needs Linux with user namespaces, and no privileges.
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MOUNT = 'mount -t tmpfs -o size="$2" none "$1" && echo ready && exec cat';

/** Creates a disk; undefined if the system does not allow it. */
export async function openSmallDisk(bytes: number) {
  if (Bun.which("unshare") === null || Bun.which("nsenter") === null) return undefined;
  const path = mkdtempSync(join(tmpdir(), "lectern-disk-"));
  const holder = Bun.spawn(["unshare", "-Urm", "sh", "-c", MOUNT, "sh", path, String(bytes)], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const drop = async (): Promise<void> => {
    await holder.stdin.end();
    await holder.exited;
    rmSync(path, { recursive: true, force: true });
  };
  const { value } = await holder.stdout.getReader().read();
  if (value === undefined) {
    await drop();
    return undefined;
  }
  // Its files as this process sees them; SQLite would treat the path as another file.
  const inside = `/proc/${holder.pid}/root${path}`;
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(inside);
    return bavail * bsize;
  };
  return {
    /** Its path in processes started with `prefix`. */
    path,
    /** Starts their command line. */
    prefix: ["nsenter", "-t", String(holder.pid), "-U", "-m", "--preserve-credentials", "--"],
    freeBytes,
    /** Uses all free space, or some of it, until the returned function is called. */
    fill(size = freeBytes()) {
      writeFileSync(`${inside}/filling`, Buffer.alloc(size));
      return () => rmSync(`${inside}/filling`);
    },
    drop,
  };
}
