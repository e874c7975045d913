// Follows an archive on a web server: downloads the archive when it has changed.
import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { ExpectedError } from "../../catalog/expected-error.ts";
import { formatSize, type ArchiveLimits } from "../../content/limits.ts";
import { FILES_FOLDER, nameLocally, type FollowedSource, type RemoteAddress } from "./followed-source.ts";

const TIMEOUT_MS = 600_000;
const MAX_REDIRECTS = 5;
/** How many of the digest's digits the list of releases shows. */
const SHOWN_DIGITS = 12;

export function followArchive(
  { url, name, authorization }: RemoteAddress,
  { maxBytes }: ArchiveLimits,
): FollowedSource {
  return {
    name,
    async fetchChange(known, into, ended) {
      // A revision consists of the archive's digest and, if the server sends one, an ETag.
      const [knownDigest, etag = ""] = known?.split(/ (.*)/s) ?? [];
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      const signal = AbortSignal.any([ended, timeout]);
      try {
        const response = await request(url, { authorization, etag, signal });
        if (response.status === 304 && etag !== "") return undefined;
        // Other success statuses are faults, too: a 206 response contains only part of the archive.
        if (response.status !== 200) {
          await response.body?.cancel();
          throw new ExpectedError(`${name} returned status ${response.status}.`);
        }
        const folder = join(into, FILES_FOLDER);
        mkdirSync(folder);
        const path = join(folder, nameLocally(new URL(url).pathname));
        const digest = await save(response, path, maxBytes, name);
        if (digest === knownDigest) return undefined;
        const label = `archive ${name} ${digest.slice(0, SHOWN_DIGITS)}`;
        return { path, label, revision: `${digest} ${response.headers.get("etag") ?? ""}` };
      } catch (error) {
        if (ended.aborted || error instanceof ExpectedError) throw error;
        const reason = timeout.aborted
          ? `it took more than ${TIMEOUT_MS / 1000} s`
          : // Bun appends the URL, whose query can contain a secret, and advice.
            (error as Error).message.replace(/ (?:fetching "|For more ).*/s, "");
        throw new ExpectedError(`Cannot download ${name}: ${reason}`, { cause: error });
      }
    },
  };
}

/** Follows redirects. Sends credentials only to the host of the source's URL. */
async function request(
  start: string,
  { authorization, etag, signal }: { authorization: string | undefined; etag: string; signal: AbortSignal },
): Promise<Response> {
  let url = new URL(start);
  for (let redirects = 0; ; redirects++) {
    const headers = new Headers({ "accept-encoding": "identity" });
    if (etag !== "") headers.set("if-none-match", etag);
    if (authorization !== undefined && url.origin === new URL(start).origin)
      headers.set("authorization", authorization);
    const response = await fetch(url.href, { headers, signal, redirect: "manual", decompress: false });
    const location = response.headers.get("location");
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
    await response.body?.cancel();
    const next = URL.parse(location, url.href);
    const isSafe = next?.protocol === "https:" || (next?.protocol === "http:" && url.protocol === "http:");
    if (next === null || !isSafe || redirects === MAX_REDIRECTS)
      throw new ExpectedError(
        `${url.host} redirects ${redirects === MAX_REDIRECTS ? "too often" : "to a URL without https"}.`,
      );
    url = next;
  }
}

/** Writes a response's body to a file and returns its SHA-256. */
async function save(response: Response, path: string, maxBytes: number, name: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  const file = await open(path, "wx", 0o600);
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes)
        throw new ExpectedError(`${name} is larger than ${formatSize(maxBytes)} (--max-archive-size).`);
      hasher.update(chunk);
      // Unlike `write`, fails if only a part fits on the disk.
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
  return hasher.digest("hex");
}
