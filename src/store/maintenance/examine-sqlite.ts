import { constants, readdirSync, statfsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { mayAccess } from "../sqlite/sqlite-file.ts";
import { fault, warning, type Examined, type Finding } from "./findings.ts";

const LOW_DISK_BYTES = 1_000_000_000;

/** Checks a database file, its folder and its disk. */
export function* examineSqliteFile(path: string): Generator<Examined> {
  yield { check: "permissions", findings: examinePermissions(path) };
  yield { check: "modes", findings: examineModes(path) };
  const { bavail, bsize } = statfsSync(dirname(path));
  const free = bavail * bsize;
  const next = "Free some, for example with `lectern prune` and `lectern vacuum`.";
  const low = warning(`The disk of ${path} has ${Math.round(free / 1e6)} MB left: imports may fail. ${next}`);
  yield { check: "disk", findings: free < LOW_DISK_BYTES ? [low] : [] };
}

function examinePermissions(path: string): Finding[] {
  const findings: Finding[] = [];
  for (const each of [path, dirname(path)]) {
    if (mayAccess(each, constants.R_OK | constants.W_OK)) continue;
    findings.push(fault(`This user cannot write ${each}: servers and imports fail. Run as its owner, or chown it.`));
  }
  const owner = statSync(path).uid;
  for (const file of listFiles(path)) {
    if (statSync(file, { throwIfNoEntry: false })?.uid === owner) continue;
    findings.push(warning(`${file} and ${path} have different owners: chown one, or commands of one user fail.`));
  }
  return findings;
}

/** Keys are stored as digests, but webhooks have secrets. */
function examineModes(path: string): Finding[] {
  return [path, ...listFiles(path)].flatMap((file) => {
    const mode = (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
    if ((mode & 0o077) === 0) return [];
    return [warning(`Other users can open ${file} (mode ${mode.toString(8)}): run \`chmod 600 ${file}\`.`)];
  });
}

/** The log and lock files beside a database. */
function listFiles(path: string): string[] {
  const own = basename(path);
  return readdirSync(dirname(path))
    .filter((name) => name === `${own}-wal` || name === `${own}-shm` || /\.lock(\.json)?$/.test(name.slice(own.length)))
    .filter((name) => name.startsWith(own))
    .map((name) => join(dirname(path), name));
}
