// Measures how reading time grows with text length, for worst-case texts.
import { checkLongText, LONG_TEXTS, type LongText } from "./harmful-texts.ts";
import type { Judgement } from "./judgement.ts";

/** Eight times the text takes eight times as long in linear time, and 64 times in quadratic time. */
const SIZE = 8000;
const GROWTH = 8;
const MAX_RATIO = 30;
/** Below this, time is mostly start-up. */
const LEAST_MS = 4;

/** Reads each text, then one eight times as long. */
export async function judgeLongTexts(): Promise<Judgement[]> {
  const missed: Judgement[] = [];
  let worst = { what: "", ratio: 0 };
  for (const text of LONG_TEXTS) {
    const ratio = await measureRatio(text);
    if (ratio > worst.ratio) worst = { what: text.what, ratio };
    if (ratio < MAX_RATIO) continue;
    missed.push({
      isHeld: false,
      text: `a text ${GROWTH} times as long takes ${ratio.toFixed(0)} times: ${text.what}`,
    });
  }
  const most = `${worst.ratio.toFixed(0)} times at most, of ${worst.what} (below ${MAX_RATIO})`;
  const held = { isHeld: true, text: `${LONG_TEXTS.length} texts ${GROWTH} times as long take ${most}` };
  return missed.length > 0 ? missed : [held];
}

async function measureRatio(text: LongText): Promise<number> {
  // The first read also compiles the program.
  await measure(text, SIZE);
  const once = async (): Promise<number> => {
    const small = Math.max(LEAST_MS, await measure(text, SIZE));
    return (await measure(text, SIZE * GROWTH)) / small;
  };
  // Repeats, since a garbage collection may distort one run; quadratic growth shows in every run.
  let ratio = await once();
  for (let again = 0; again < 3 && ratio >= MAX_RATIO; again++) ratio = await once();
  return ratio;
}

/** Returns the CPU time for a text, in milliseconds. Wall time would include other processes. */
async function measure(text: LongText, size: number): Promise<number> {
  const before = process.cpuUsage();
  const { courses, problems } = await checkLongText(text, size);
  if (courses + problems === 0) throw new Error(`neither read nor refused: ${text.what}`);
  return process.cpuUsage(before).user / 1000;
}
