// Random requests in every coding, and a check of the answers: each must be complete and from one release, which its
// texts name.
import type { Asked, SentAnswer } from "../test/read-path/connection.ts";
import { decodeBody } from "../test/read-path/connection.ts";
import type { AuthoredCourse } from "../test/support/catalog.ts";
import type { Random } from "../test/support/random.ts";

const COURSES = 40;
const LESSONS = 10;

/** All text contains the edition's number, except in one course, which is the same in all editions. */
export function createEdition(edition: number): AuthoredCourse[] {
  return Array.from({ length: COURSES }, (_, course) => {
    const name = course === 0 ? "Always" : `Edition ${edition}.`;
    const text = `<p>${`${name} `.repeat(200)}${Bun.hash(String(course)).toString(36)}</p>`;
    const lessons = Array.from({ length: LESSONS }, (_unused, lesson) => ({
      id: `l${lesson}`,
      name,
      additionalText: text,
    }));
    const chapters = [{ id: "c", name, lessons }];
    return { _id: `c${course}`, slug: `s${course}`, name, createdAt: "2025-01-01", chapters };
  });
}

/** Paths of lessons that are the same in every edition. */
export const UNCHANGED_PATHS = Array.from({ length: LESSONS }, (_, lesson) => `/api/v1/courses/c0/lessons/l${lesson}`);

/** Requests for editions of a catalog, numbered like their releases. */
export class MixedLoad {
  /** The newest release. */
  published = 1;
  readonly #random: Random;
  readonly #key: string;
  readonly #etags = new Map<string, string>();

  constructor(random: Random, key: string) {
    this.#random = random;
    this.#key = key;
  }

  next(): [path: string, asked: Asked] {
    const random = this.#random;
    const course = `/api/v1/courses/${random.pick(["c", "s"])}${random.below(COURSES)}`;
    const path = random.pick([
      "/api/v1/courses",
      `/api/v1/courses?name=edition&limit=${1 + random.below(COURSES)}`,
      course,
      course,
      `${course}/lessons`,
      `${course}/lessons/l${random.below(LESSONS)}`,
      `${course}/lessons/l${random.below(LESSONS)}?_=${random.below(1e9)}`,
      `${course}?release=${Math.max(1, this.published - random.below(8))}`,
    ]);
    const headers: Record<string, string> = { "accept-encoding": random.pick(["identity", "br", "gzip"]) };
    const etag = this.#etags.get(path);
    if (etag !== undefined && random.oneIn(3)) headers["if-none-match"] = etag;
    return [path, { key: this.#key, headers }];
  }

  /** Returns the fault of an answer; undefined for a correct one. */
  check(answer: SentAnswer, path: string): string | undefined {
    const { status, headers } = answer;
    if (status === 410 && path.includes("release=")) return undefined;
    if (status !== 200 && status !== 304) return `${path}: ${status} ${answer.body.toString()}`;
    const release = headers["catalog-release"];
    const asked = /release=(\d+)/.exec(path)?.[1] ?? release;
    if (release !== asked || release === undefined) return `${path}: release ${release}`;
    if (this.#etags.size < 1000) this.#etags.set(path, headers["etag"] ?? "");
    if (status === 304) return undefined;
    const text = decodeBody(answer);
    if (!text.endsWith(',"success":true,"message":"","code":200}')) return `${path}: cut off`;
    const editions = new Set(text.match(/Edition \d+\./g) ?? []);
    const isAlways = /\/[cs]0(\/|\?|$)/.test(path);
    const expected = isAlways ? [] : [`Edition ${release}.`];
    if (Bun.deepEquals([...editions], expected)) return undefined;
    return `${path}: release ${release} with ${[...editions].join(" ")}`;
  }
}
