// Measures servers in turn: CPU time per request, and ratios per round.
import { runLoad, type Load, type LoadResult } from "./load.ts";
import { readCpuSeconds, readStolenSeconds, type Subject } from "./subjects.ts";

export interface Measurement {
  /** The server's CPU time per request, user and system, in microseconds. */
  cpuUs: number;
  p50Ms: number;
  p99Ms: number;
  /** Seconds of steal time per second, summed over both processors. */
  stolenSeconds: number;
}

export type Work = Omit<Load, "url" | "seconds">;

/** A server with its workload. */
export interface Contestant {
  start(port: number): Promise<Subject>;
  work(subject: Subject): Work | Promise<Work>;
}

export interface Rounds {
  rounds: number;
  /** How long each contestant runs per round. */
  seconds: number;
}

const FIRST_PORT = 4871;
/** A server is warm once it uses at least this share of the CPU time that it used in the previous second. */
const WARM = 0.95;
const [MIN_WARM_UP_SECONDS, MAX_WARM_UP_SECONDS] = [2, 10];
/** Seconds with more steal time are repeated. */
const MAX_STOLEN_SECONDS = 0.05;
const MAX_TRIES = 4;

/**
 * Runs contestants in turn, a second each, repeatedly. Returns each one's measurements, one per round. Restarts servers
 * for each round, because memory layout accounts for a tenth of the difference and is fixed while a server runs. Warns
 * if steal time is too high. Throws if a server answers with an error.
 */
export async function takeTurns(contestants: Contestant[], { rounds, seconds }: Rounds): Promise<Measurement[][]> {
  const measurements: Measurement[][] = contestants.map(() => []);
  for (let round = 0; round < rounds; round++) {
    await using servers = new AsyncDisposableStack();
    const turns: { subject: Subject; work: Work; slices: Measurement[] }[] = [];
    for (const [index, contestant] of contestants.entries()) {
      const subject = servers.use(await contestant.start(FIRST_PORT + index));
      const work = await contestant.work(subject);
      await warmUp(subject, work);
      turns.push({ subject, work, slices: [] });
    }
    for (let second = 0; second < seconds; second++) {
      for (const { subject, work, slices } of turns) slices.push(await measureSecond(subject, work));
    }
    for (const [index, { slices }] of turns.entries()) measurements[index]?.push(medianOf(slices));
  }
  const stolen = medianOf(measurements.flat()).stolenSeconds;
  if (stolen > MAX_STOLEN_SECONDS) {
    console.error(
      `bench: ${(stolen * 50).toFixed(0)} % of CPU time was stolen by other virtual machines: results are unreliable`,
    );
  }
  return measurements;
}

// The time that the compiler takes to optimize running code depends on the machine.
async function warmUp(subject: Subject, work: Work): Promise<void> {
  let last = Infinity;
  for (let second = 0; second < MAX_WARM_UP_SECONDS; second++) {
    const { cpuUs } = await measureOnce(subject, work);
    if (second >= MIN_WARM_UP_SECONDS && cpuUs > last * WARM) return;
    last = cpuUs;
  }
}

async function measureSecond(subject: Subject, work: Work): Promise<Measurement> {
  let best = await measureOnce(subject, work);
  for (let tries = 1; best.stolenSeconds > MAX_STOLEN_SECONDS && tries < MAX_TRIES; tries++) {
    const next = await measureOnce(subject, work);
    if (next.stolenSeconds < best.stolenSeconds) best = next;
  }
  return best;
}

async function measureOnce(subject: Subject, work: Work): Promise<Measurement> {
  const [before, stolenBefore] = [readCpuSeconds(subject.pids), readStolenSeconds()];
  const result: LoadResult = await runLoad({ ...work, url: subject.url, seconds: 1 });
  const cpuUs = ((readCpuSeconds(subject.pids) - before) / result.requests) * 1e6;
  return { cpuUs, p50Ms: result.p50Ms, p99Ms: result.p99Ms, stolenSeconds: readStolenSeconds() - stolenBefore };
}

export interface Comparison {
  subject: Measurement;
  peer: Measurement;
  /** The subject's CPU time per request relative to the peer's: the median of the rounds' ratios. */
  ratio: number;
}

/** Runs two contestants in turn and returns the medians. */
export async function compare(subject: Contestant, peer: Contestant, rounds: Rounds): Promise<Comparison> {
  const [ours = [], theirs = []] = await takeTurns([subject, peer], rounds);
  return { subject: medianOf(ours), peer: medianOf(theirs), ratio: medianRatio(ours, theirs) };
}

/** Returns one contestant's CPU time per request relative to another's: the median of the rounds' ratios. */
export function medianRatio(ones: Measurement[], others: Measurement[]): number {
  return median(ones.map((one, round) => one.cpuUs / (others[round]?.cpuUs ?? NaN)));
}

/** Returns the median of each figure. */
export function medianOf(measurements: Measurement[]): Measurement {
  const of = (figure: keyof Measurement): number => median(measurements.map((measurement) => measurement[figure]));
  return { cpuUs: of("cpuUs"), p50Ms: of("p50Ms"), p99Ms: of("p99Ms"), stolenSeconds: of("stolenSeconds") };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
