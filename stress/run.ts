// npm run stress [-- --pictures FOLDER]: only takes pictures of every view of the explorer.
// npm run stress [-- --sites SOURCE]: only builds the examples' sites with these courses.
// npm run stress [-- --long] [--only NAME] [--seconds N] [--courses N] [--folder PATH] [--flags "…"]
// npm run stress -- --soak MINUTES [--engine sqlite|postgres] [--page FILE.svg]: only loads servers during faults.
// Measures properties of a machine, which tests cannot: memory, throughput, growth of times, delay of changes. Also runs
// randomized tests with more rounds. The short form takes about four minutes, half of them to install the examples. It
// judges memory, answers, growth of times, and delays of other projects' readers under attack; it only reports other
// times. The long form judges all times, with catalogs of the largest supported size, on both engines, on an otherwise
// idle machine. `--only` selects attacks by part of their name, or `hooks`.
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { engines } from "../test/support/store.ts";
import { attackReaders } from "./attack-readers.ts";
import { attackServer } from "./attack-server.ts";
import { prepareCatalogs, type CatalogSize } from "./catalogs.ts";
import { buildExampleSites } from "./example-sites.ts";
import { deliverUnderKills } from "./hooks.ts";
import { judgeViews } from "./explorer-views.ts";
import { judgeWalks } from "./explorer-walks.ts";
import {
  fillBesideImport,
  fillDisk,
  fillWithReleases,
  pruneBesideSnapshots,
  pruneInLittleSpace,
  pruneLinks,
  removeLinks,
  writeBesideSnapshot,
} from "./full-disk.ts";
import { fuzzReaders } from "./fuzz-readers.ts";
import { fuzzRequests } from "./fuzz-requests.ts";
import { checkHostileArchives } from "./hostile-archives.ts";
import { checkHostileContent } from "./hostile-content.ts";
import { mirrorHostileUpstreams } from "./hostile-upstream.ts";
import { readInBrowser } from "./in-browser.ts";
import { formatJudgement, type Judgement } from "./judgement.ts";
import { killServers } from "./killed-servers.ts";
import { moveLargeFile } from "./large-file.ts";
import { showLongLessons } from "./long-lessons.ts";
import { judgeLongTexts } from "./long-texts.ts";
import { holdConnections } from "./many-connections.ts";
import { repeatRandomTests } from "./random-tests.ts";
import { serveMixedReaders } from "./mixed-readers.ts";
import { soak } from "./soak.ts";

interface Form {
  size: CatalogSize;
  attackSeconds: number;
  readSeconds: number;
  kills: number;
  /** Numbers of mutated requests and sources. */
  requests: number;
  sources: number;
  /** How long idle connections and slow readers are held. */
  heldSeconds: number;
}

const SHORT: Form = {
  size: { courses: 20_000, lessons: 20_000, mediumLessons: 200, largeLessons: 5 },
  attackSeconds: 6,
  readSeconds: 5,
  kills: 6,
  requests: 5000,
  sources: 300,
  heldSeconds: 1,
};
const LONG: Form = {
  size: { courses: 100_000, lessons: 100_000, mediumLessons: 1000, largeLessons: 20 },
  attackSeconds: 20,
  readSeconds: 60,
  kills: 50,
  requests: 200_000,
  sources: 5000,
  heldSeconds: 30,
};

const { values } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    only: { type: "string" },
    seconds: { type: "string" },
    courses: { type: "string" },
    folder: { type: "string", default: join(tmpdir(), "lectern-stress-catalogs") },
    flags: { type: "string", default: "" },
    pictures: { type: "string" },
    sites: { type: "string" },
    soak: { type: "string" },
    engine: { type: "string", default: "sqlite" },
    page: { type: "string" },
  },
});

const { long: isLong, only, folder } = values;
const form = isLong ? LONG : SHORT;
const courses = Number(values.courses ?? form.size.courses);
const judgements: Judgement[] = [];
const take = (more: Judgement[]): void => {
  judgements.push(...more);
  for (const judgement of more) console.log(formatJudgement(judgement));
};

if (values.pictures !== undefined) {
  take(await judgeViews(values.pictures));
  process.exit(judgements.some(({ isHeld }) => isHeld === false) ? 1 : 0);
}
if (values.sites !== undefined) {
  take(await buildExampleSites(resolve(values.sites)));
  process.exit(judgements.some(({ isHeld }) => isHeld === false) ? 1 : 0);
}
if (values.soak !== undefined) {
  const engine = engines.find(({ name }) => name === values.engine);
  if (engine === undefined) throw new Error(`--engine is ${engines.map(({ name }) => name).join(" or ")}`);
  take(await soak(engine, Number(values.soak), values.page));
  process.exit(judgements.some(({ isHeld }) => isHeld === false) ? 1 : 0);
}
// Runs first, because the system reports at least the parent's memory for a command.
if (only === undefined) {
  take(await checkHostileContent());
  take(await checkHostileArchives());
  for (const engine of engines.slice(0, 1)) take(await mirrorHostileUpstreams(engine));
  take(await fuzzReaders(form.sources));
  take([await fillDisk(), await fillWithReleases(), await pruneLinks(), await removeLinks()]);
  take([
    await pruneInLittleSpace(),
    await writeBesideSnapshot(),
    await pruneBesideSnapshots(),
    await fillBesideImport(),
  ]);
  take(await moveLargeFile(isLong ? engines : engines.slice(0, 1)));
  take(await judgeLongTexts());
  take(await showLongLessons());
  take(await repeatRandomTests(isLong));
}
if (only === undefined) {
  for (const engine of isLong ? engines : engines.slice(0, 1)) {
    take([await killServers(engine, form.kills)]);
    take(await fuzzRequests(engine, form.requests));
    take(await holdConnections(engine, form.heldSeconds));
  }
}
if (only === "hooks" || (only === undefined && isLong)) {
  for (const engine of engines) take(await deliverUnderKills(engine, Number(values.seconds ?? 60)));
  if (only === "hooks") process.exit(judgements.some(({ isHeld }) => isHeld === false) ? 1 : 0);
}
const catalog = await prepareCatalogs(folder, { ...form.size, courses });
const flags = values.flags.split(" ").filter((flag) => flag !== "");
take(await attackServer(catalog, { seconds: Number(values.seconds ?? form.attackSeconds), only, flags }));
if (only === undefined) {
  const readSeconds = Number(values.seconds ?? form.readSeconds);
  for (const engine of isLong ? engines : engines.slice(0, 1))
    take(await serveMixedReaders(engine, readSeconds, isLong));
  take(await readInBrowser());
  take([await attackReaders()]);
  take(await judgeViews());
  take(await judgeWalks());
  take(await buildExampleSites());
}
process.exit(judgements.some(({ isHeld }) => isHeld === false) ? 1 : 0);
