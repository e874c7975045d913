// Runs randomized tests with more rounds than `npm test` has time for.
import { join } from "node:path";
import type { Judgement } from "./judgement.ts";

const PROJECT = join(import.meta.dir, "..");
const TESTS = [
  { file: "test/publishing/model.test.ts", rounds: 3, longRounds: 30 },
  { file: "./stress/killed-commands.ts", rounds: 6, longRounds: 50 },
  { file: "./stress/consistent-reads.ts", rounds: 30, longRounds: 200 },
  { file: "test/interface/course-filter.test.ts", rounds: 150, longRounds: 1000 },
  { file: "test/read-path/long-courses.test.ts", rounds: 3, longRounds: 8 },
  { file: "./stress/flipped-bits.ts", rounds: 30, longRounds: 3000 },
  { file: "./stress/fence-walks.ts", rounds: 100, longRounds: 1000 },
  { file: "./stress/reread-folders.ts", rounds: 12, longRounds: 200 },
  { file: "./stress/wrong-clocks.ts", rounds: 1, longRounds: 1 },
  { file: "./stress/embedded-images.ts", rounds: 1, longRounds: 1 },
];

/** Runs each test on both engines. Prints failures with their seed. */
export async function repeatRandomTests(isLong: boolean): Promise<Judgement[]> {
  const judgements: Judgement[] = [];
  for (const { file, rounds, longRounds } of TESTS) {
    const count = isLong ? longRounds : rounds;
    if (count === 0) continue;
    const tests = Bun.spawn([process.execPath, "test/run.ts", file], {
      cwd: PROJECT,
      env: { ...process.env, TEST_ROUNDS: String(count) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [output, errors] = await Promise.all([tests.stdout.text(), tests.stderr.text()]);
    const isHeld = (await tests.exited) === 0;
    if (!isHeld) console.log(output + errors);
    judgements.push({ isHeld, text: `${file}: ${count} rounds` });
  }
  return judgements;
}
