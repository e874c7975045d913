// Imports repeatedly fill a disk beside a server: the catalog must remain repairable and readers must not be affected.
// Linux only.
import { statSync } from "node:fs";
import { join } from "node:path";
import { runProcess, startServing, type RunningCommand } from "../test/support/command.ts";
import { send } from "../test/support/server.ts";
import { openSmallDisk } from "../test/support/small-disk.ts";
import { writeFolder, type Files } from "../test/support/written-folder.ts";
import { judgeAll, type Judgement } from "./judgement.ts";

const MIB = 1024 * 1024;
const DISK_BYTES = 64 * MIB;
/** The space that imports leave free on such a disk. */
const SPARE_BYTES = DISK_BYTES / 4;
const LESSON_BYTES = 90_000;
/** Enough courses to fill the disk. */
const COURSES = 1500;
const ROUNDS = 5;
const PROMISE = `${ROUNDS} imports that fill a disk of 64 MiB beside a server leave space for a prune and another project`;

interface Catalog {
  run: (args: string[], stdin?: string) => ReturnType<typeof runProcess>;
  /** Like `run`, but a command that fails is a fault. */
  expectDone: (...run: Parameters<Catalog["run"]>) => Promise<void>;
  /** Starts a script with the database in `db`. */
  startScript: (script: string) => Bun.Subprocess<"pipe", "pipe", "inherit">;
  server: RunningCommand;
  freeBytes: () => number;
  measureLog: () => number;
  /** The disk's folder, as commands see it. */
  folder: string;
  /** Uses the free space but some. */
  fill: (leaving: number) => void;
  faults: string[];
}

/** Judges a promise on a small disk beside a server. Skipped on systems that cannot create one. */
async function judgeOnDisk(
  promise: string,
  bytes: number,
  use: (catalog: Catalog) => Promise<void>,
): Promise<Judgement> {
  const disk = await openSmallDisk(bytes);
  if (disk === undefined) return { isHeld: undefined, text: `${promise}: skipped, this system has no small disk` };
  const path = join(disk.path, "lectern.db");
  const options = { prefix: disk.prefix, env: { LECTERN_DATABASE: `sqlite:${path}` } };
  const faults: string[] = [];
  const run: Catalog["run"] = async (args, stdin = "") => runProcess(args, { ...options, stdin });
  const expectDone: Catalog["expectDone"] = async (args, stdin) => {
    const { exitCode, stderr } = await run(args, stdin);
    if (exitCode !== 0) faults.push(`${args.join(" ")} exited with ${exitCode}: ${stderr}`);
  };
  const startScript: Catalog["startScript"] = (script) => {
    const whole = `const db = new (require("bun:sqlite").Database)(process.argv[1]); ${script}`;
    return Bun.spawn([...disk.prefix, process.execPath, "-e", whole, path], { stdio: ["pipe", "pipe", "inherit"] });
  };
  await expectDone(["import", "-", "--project", "first"], formatCourses("first", 1));
  const server = await startServing(["serve"], options);
  const measureLog = (): number => statSync(`/proc/${server.pid}/root${path}-wal`).size;
  const { freeBytes } = disk;
  const fill: Catalog["fill"] = (leaving) => disk.fill(freeBytes() - leaving);
  await use({ run, expectDone, startScript, server, freeBytes, measureLog, folder: disk.path, fill, faults });
  await expectDone(["import", "-", "--project", "other"], formatCourses("other", 1));
  if (measureLog() > 0) faults.push(`The log was not emptied: ${measureLog()} bytes`);
  const { exitCode, stdout } = await run(["doctor", "--deep"]);
  if (exitCode === 3) faults.push(stdout);
  server.kill();
  await server.exited;
  await disk.drop();
  return judgeAll(promise, faults);
}

/** Imports that do not fit. */
export const fillDisk = async (): Promise<Judgement> =>
  judgeOnDisk(PROMISE, DISK_BYTES, async ({ run, expectDone, server, freeBytes, measureLog, faults }) => {
    await expectDone(["import", "-", "--project", "read"], formatCourses("read", 100));
    const { stdout } = await run(["keys", "create", "--project", "read", "--json"]);
    const { key } = JSON.parse(stdout) as { key: string };
    while ((await send(server.url, "/api/v1/courses/read0", { key })).status !== 200) await Bun.sleep(50);
    const reading = { isOn: true, refused: 0 };
    const reader = readOn(server.url, key, reading);
    for (let round = 0; round < ROUNDS; round++) {
      const { exitCode } = await run(["import", "-", "--project", "large"], formatCourses("large", COURSES));
      // A few pages for the log's index and locks.
      if (exitCode === 1 && measureLog() === 0 && freeBytes() > SPARE_BYTES * 0.99) continue;
      const left = `a log of ${measureLog()} bytes, and ${freeBytes()} bytes free`;
      faults.push(`import ${round + 1} exited with ${exitCode}, ${left}`);
    }
    await expectDone(["prune", "--project", "read", "--keep", "1"]);
    await expectDone(["import", "-", "--project", "more"], formatCourses("more", 100));
    reading.isOn = false;
    await reader;
    if (reading.refused > 0) faults.push(`${reading.refused} readers' requests were not answered`);
  });

const MAX_RELEASES = 100;

/** Publishes until the disk is full: each release has a row for each course. */
export const fillWithReleases = async (): Promise<Judgement> => {
  const promise =
    "Releases of one changed course that fill a disk of 8 MiB leave space for a prune and another project";
  return judgeOnDisk(promise, 8 * MIB, async ({ run, expectDone, faults }) => {
    const importRelease = async (number: number) => {
      const courses = Array.from({ length: 2500 }, (_, index) => ({
        _id: `c${index}`,
        name: index === 0 ? `N${number}` : `C${index}`,
      }));
      const stdin = courses.map((course) => JSON.stringify(course)).join("\n");
      return run(["import", "-", "--project", "large"], stdin);
    };
    let releases = 0;
    while (releases < MAX_RELEASES && (await importRelease(releases)).exitCode === 0) releases++;
    if (releases < 2 || releases === MAX_RELEASES) faults.push(`${releases} imports did not fill the disk`);
    await expectDone(["prune", "--project", "large", "--keep", "1"]);
  });
};

/** Makes all releases prunable, which channels showed within the last minute. */
const age = async ({ startScript }: Catalog) =>
  startScript("db.run(\"update publications set published_at = '2026-01-01T00:00:00.000Z'\")").exited;

/** Courses that link the same files, with some incompressible text. */
function writeLinks(courses: number, links: number, textBytes: number): string {
  const files: Files = {};
  for (let link = 0; link < links; link++) files[`linked/${link}.pdf`] = `%PDF ${link}`;
  const list = Array.from({ length: links }, (_, link) => `[x](../linked/${link}.pdf)`).join("\n");
  for (let course = 0; course < courses; course++) {
    const text = crypto.getRandomValues(Buffer.alloc(textBytes / 2)).toString("hex");
    files[`c${course}/course.yaml`] = `id: c${course}\nname: C${course}\n`;
    files[`c${course}/1-a.md`] = `# A\n\n${text}\n\n${list}`;
  }
  return writeFolder(files);
}

const importLinks = (project: string, ...links: Parameters<typeof writeLinks>): string[] => {
  return ["import", writeLinks(...links), "--project", project, "--public-url", "https://catalog.example"];
};

/** A prune that deletes more links than a transaction has space for. */
export const pruneLinks = async (): Promise<Judgement> =>
  judgeOnDisk("On a full disk of 16 MiB, a prune deletes 30,000 links to files", 16 * MIB, async (catalog) => {
    for (let release = 0; release < 2; release++) await catalog.expectDone(importLinks("links", 30, 1000, 100));
    await age(catalog);
    catalog.fill(3 * MIB);
    await catalog.expectDone(["prune", "--project", "links", "--keep", "1"]);
  });

/** An import that fails, and deletes more links than a transaction has space for. */
export const removeLinks = async (): Promise<Judgement> =>
  judgeOnDisk("An import of 80,000 links that fills a disk of 16 MiB deletes them", 16 * MIB, async (catalog) => {
    const { exitCode, stderr } = await catalog.run(importLinks("links", 200, 400, 15_000));
    if (exitCode !== 1) catalog.faults.push(`The import exited with ${exitCode}: ${stderr}`);
    const left = catalog.startScript("console.log(db.query('select count(*) from unfinished_imports').values())");
    const count = (await new Response(left.stdout).text()).trim();
    if (!count.includes("0")) catalog.faults.push(`Unfinished imports: ${count}`);
    await catalog.expectDone(["import", "-", "--project", "links"], formatCourses("small", 1));
  });

/** An import whose file fits when it begins, but others use the space meanwhile. */
export const fillBesideImport = async (): Promise<Judgement> =>
  judgeOnDisk(
    "An import into the asset folder, beside others that fill the disk, leaves 32 MiB free",
    160 * MIB,
    async ({ run, freeBytes, fill, folder, faults }) => {
      const root = writeFolder({ "1-a.md": "# A\n\n[Film](a.mp4)\n", "a.mp4": Buffer.alloc(100 * MIB, "a") });
      const settings = ["--assets", `dir:${folder}/assets`, "--max-asset-size", "100"];
      const address = ["--public-url", "https://catalog.example"];
      const firstFree = freeBytes();
      const importing = { isOn: true };
      const ended = run(["import", root, "--project", "film", ...settings, ...address]);
      void ended.finally(() => (importing.isOn = false));
      while (importing.isOn && freeBytes() > firstFree - 8 * MIB) await Bun.sleep(1);
      fill(freeBytes() - 60 * MIB);
      let leastFree = freeBytes();
      for (; importing.isOn; await Bun.sleep(1)) leastFree = Math.min(leastFree, freeBytes());
      const { exitCode } = await ended;
      if (exitCode !== 1) faults.push(`The import exited with ${exitCode}`);
      if (leastFree < 31 * MIB) faults.push(`Only ${leastFree} bytes were free`);
    },
  );

/** A prune of every second one of a course's lessons, with less than the spare space left. */
export const pruneInLittleSpace = async (): Promise<Judgement> =>
  judgeOnDisk("With 1 MiB free, a prune deletes 450 lessons, two to a page", 16 * MIB, async (catalog) => {
    await importTwice(catalog, "lessons");
    await age(catalog);
    catalog.fill(MIB);
    await catalog.expectDone(["prune", "--project", "lessons", "--keep", "1"]);
  });

/** Imports a course of 900 lessons, two to a page, then again with every second one changed. */
async function importTwice({ expectDone }: Catalog, project: string): Promise<void> {
  const texts = Array.from({ length: 900 }, createText);
  for (let release = 0; release < 2; release++) {
    const lessons = texts.map((text, index) => {
      return { id: `l${index}`, name: "L", additionalText: release * (index % 2) === 0 ? text : createText() };
    });
    const course = { _id: "c", name: "C", chapters: [{ name: "A", lessons }] };
    await expectDone(["import", "-", "--project", project], JSON.stringify(course));
  }
}

const createText = (): string => crypto.getRandomValues(Buffer.alloc(3500)).toString("base64");

/** Writes beside a snapshot, such as a backup's, that keeps the log from being emptied. */
export const writeBesideSnapshot = async (): Promise<Judgement> =>
  judgeOnDisk(
    "Beside a backup's snapshot, imports, prunes and rollbacks use a disk of 64 MiB",
    DISK_BYTES,
    async (catalog) => {
      for (let count = 0; count < 3; count++)
        await catalog.expectDone(["import", "-", "--project", "pruned"], formatCourses("pruned", 10));
      await age(catalog);
      const release = await holdSnapshot(catalog);
      for (const project of ["a", "b"]) {
        await catalog.expectDone(["import", "-", "--project", project], formatCourses(project, 10));
      }
      await catalog.expectDone(["rollback", "--project", "pruned"]);
      await catalog.expectDone(["prune", "--project", "pruned", "--keep", "1"]);
      const { exitCode } = await catalog.run(["import", "-", "--project", "large"], formatCourses("large", COURSES));
      if (exitCode !== 1) catalog.faults.push(`The import that fills the disk exited with ${exitCode}`);
      await catalog.expectDone(["prune", "--project", "pruned", "--keep", "1"]);
      await release();
    },
  );

/** Writes beside two snapshots, of which the second leaves holes in the file when the first ends. */
export const pruneBesideSnapshots = async (): Promise<Judgement> =>
  judgeOnDisk("After two overlapping snapshots on a full disk of 64 MiB, prunes work", DISK_BYTES, async (catalog) => {
    const projects = ["p0", "p1", "p2", "p3", "p4"];
    const prune = (project: string): string[] => ["prune", "--project", project, "--keep", "1"];
    for (const project of projects) await importTwice(catalog, project);
    await age(catalog);
    const releaseFirst = await holdSnapshot(catalog);
    await importTwice(catalog, "a");
    await age(catalog);
    const releaseSecond = await holdSnapshot(catalog);
    await catalog.expectDone(prune("a"));
    await releaseFirst();
    for (let count = 0; count < 2; count++)
      await catalog.run(["import", "-", "--project", "large"], formatCourses("large", COURSES));
    // They might fail while the log cannot be emptied.
    for (const project of projects) await catalog.run(prune(project));
    await releaseSecond();
    for (const project of projects) await catalog.expectDone(prune(project));
  });

/** Holds a snapshot, and returns the function that ends it. */
async function holdSnapshot({ startScript }: Catalog): Promise<() => Promise<void>> {
  const script = "db.run('begin'); db.query('select * from keys').all(); console.log('held'); process.stdin.resume()";
  const holder = startScript(script);
  await holder.stdout.getReader().read();
  return async () => {
    await holder.stdin.end();
    await holder.exited;
  };
}

/** Reads continuously, so that SQLite's log stays in use. */
async function readOn(url: string, key: string, reading: { isOn: boolean; refused: number }): Promise<void> {
  for (let count = 0; reading.isOn; count++) {
    const { status } = await send(url, `/api/v1/courses/read${count % 100}/lessons/l?x=${count}`, { key });
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
