// A disk of a few megabytes that can be filled to the last byte: a file system in memory, which only processes see that are
// started through it, and that is gone with the process that made it. Needs Linux, and no rights where users may have
// namespaces of their own.
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MOUNT = 'mount -t tmpfs -o size="$2" none "$1" && echo ready && exec cat';

export interface SmallDisk {
  /** Where processes that are started with `prefix` find it. */
  path: string;
  /** The beginning of their command line. */
  prefix: string[];
  freeBytes(): number;
  /** Takes all that is free, until the function that it gives is called. */
  fill(): () => void;
  drop(): Promise<void>;
}

/** Makes a disk; undefined where the system does not let one. */
export async function openSmallDisk(bytes: number): Promise<SmallDisk | undefined> {
  if (Bun.which("unshare") === null || Bun.which("nsenter") === null) return undefined;
  const path = mkdtempSync(join(tmpdir(), "lectern-disk-"));
  const holder = Bun.spawn(["unshare", "-Urm", "sh", "-c", MOUNT, "sh", path, String(bytes)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
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
  // Its files as this process sees them; SQLite would take the path for another one.
  const inside = `/proc/${holder.pid}/root${path}`;
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(inside);
    return bavail * bsize;
  };
  return {
    path,
    prefix: ["nsenter", "-t", String(holder.pid), "-U", "-m", "--preserve-credentials", "--"],
    freeBytes,
    fill() {
      writeFileSync(`${inside}/filling`, Buffer.alloc(freeBytes()));
      return () => rmSync(`${inside}/filling`);
    },
    drop,
  };
}
