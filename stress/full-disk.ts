// Imports repeatedly fill a disk beside a server: the catalog must remain repairable and readers must not be affected.
// Linux only.
import { statSync } from "node:fs";
import { join } from "node:path";
import { runProcess, startServing, type CommandOptions } from "../test/support/command.ts";
import { send } from "../test/support/server.ts";
import { openSmallDisk } from "../test/support/small-disk.ts";
import { judgeAll, type Judgement } from "./judgement.ts";

const DISK_BYTES = 64 * 1024 * 1024;
/** The space that imports leave free on such a disk. */
const SPARE_BYTES = DISK_BYTES / 4;
const LESSON_BYTES = 90_000;
/** Enough courses to fill the disk. */
const COURSES = 1500;
const ROUNDS = 5;
const PROMISE = `${ROUNDS} imports that fill a disk of 64 MiB beside a server leave space for a prune and another project`;

/** Fills a small disk of its own. Skipped on systems that cannot create one. */
export async function fillDisk(): Promise<Judgement> {
  const disk = await openSmallDisk(DISK_BYTES);
  if (disk === undefined) return { isHeld: undefined, text: `${PROMISE}: skipped, this system has no small disk` };
  const faults: string[] = [];
  const options: CommandOptions = {
    prefix: disk.prefix,
    env: { LECTERN_DATABASE: `sqlite:${join(disk.path, "lectern.db")}` },
  };
  const run = async (args: string[], stdin = "") => runProcess(args, { ...options, stdin });
  const expectDone = async (args: string[], stdin?: string): Promise<string> => {
    const { exitCode, stdout, stderr } = await run(args, stdin);
    if (exitCode !== 0) faults.push(`${args.join(" ")} exited with ${exitCode}: ${stderr}`);
    return stdout;
  };
  await expectDone(["import", "-", "--project", "first"], formatCourses("first", 100));
  const created = await expectDone(["keys", "create", "--project", "first", "--json"]);
  const { key } = JSON.parse(created) as { key: string };
  const server = await startServing(["serve"], options);
  const reading = { isOn: true, refused: 0 };
  const reader = readOn(server.url, key, reading);
  for (let round = 0; round < ROUNDS; round++) {
    const { exitCode } = await run(["import", "-", "--project", "large"], formatCourses("large", COURSES));
    const logBytes = statSync(`/proc/${server.pid}/root${disk.path}/lectern.db-wal`).size;
    const freeBytes = disk.freeBytes();
    // A few pages for the log's index and locks.
    if (exitCode !== 1 || logBytes > 0 || freeBytes < SPARE_BYTES * 0.99) {
      faults.push(
        `import ${round + 1} exited with ${exitCode}, a log of ${logBytes} bytes, and ${freeBytes} bytes free`,
      );
    }
  }
  await expectDone(["prune", "--project", "first", "--keep", "1"]);
  await expectDone(["import", "-", "--project", "other"], formatCourses("other", 100));
  reading.isOn = false;
  await reader;
  if (reading.refused > 0) faults.push(`${reading.refused} readers' requests were not answered`);
  server.kill();
  await server.exited;
  await disk.drop();
  return judgeAll(PROMISE, faults);
}

const RELEASES_PROMISE =
  "Releases of one changed course that fill a disk of 8 MiB leave space for a prune and another project";
const MAX_RELEASES = 100;

/** Publishes until the disk is full: each release has a row for each course. Skipped as above. */
export async function fillWithReleases(): Promise<Judgement> {
  const disk = await openSmallDisk(8 * 1024 * 1024);
  if (disk === undefined)
    return { isHeld: undefined, text: `${RELEASES_PROMISE}: skipped, this system has no small disk` };
  const options = { prefix: disk.prefix, env: { LECTERN_DATABASE: `sqlite:${join(disk.path, "lectern.db")}` } };
  const importCourses = async (project: string, count: number, name: string) => {
    const courses = Array.from({ length: count }, (_, index) => ({
      _id: `c${index}`,
      name: index === 0 ? name : `C${index}`,
    }));
    const stdin = courses.map((course) => JSON.stringify(course)).join("\n");
    return runProcess(["import", "-", "--project", project], { ...options, stdin });
  };
  await importCourses("large", 2500, "0");
  const server = await startServing(["serve"], options);
  let releases = 1;
  while (releases < MAX_RELEASES && (await importCourses("large", 2500, String(releases))).exitCode === 0) releases++;
  const faults = releases < MAX_RELEASES ? [] : [`${releases} imports did not fill the disk`];
  const last = [
    await runProcess(["prune", "--project", "large", "--keep", "1"], options),
    await importCourses("other", 1, "A"),
  ];
  for (const { exitCode, stderr } of last) if (exitCode !== 0) faults.push(stderr);
  server.kill();
  await server.exited;
  await disk.drop();
  return judgeAll(RELEASES_PROMISE, faults);
}

/** Reads continuously, so that SQLite's log stays in use. */
async function readOn(url: string, key: string, reading: { isOn: boolean; refused: number }): Promise<void> {
  for (let count = 0; reading.isOn; count++) {
    const { status } = await send(url, `/api/v1/courses/first${count % 100}/lessons/l?x=${count}`, { key });
    if (status !== 200) reading.refused++;
  }
}

/** Courses with one incompressible lesson each. */
function formatCourses(name: string, count: number): string {
  return Array.from({ length: count }, (_, index) => {
    const text = crypto.getRandomValues(Buffer.alloc(LESSON_BYTES / 2)).toString("hex");
    const lessons = [{ id: "l", name: "L", additionalText: text }];
    return `${JSON.stringify({ _id: `${name}${index}`, name: `${name} ${index}`, chapters: [{ name: "A", lessons }] })}\n`;
  }).join("");
}
