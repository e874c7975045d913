// Imports another service's catalog with the requests that sites make.
import { ExpectedError } from "../../catalog/expected-error.ts";
import { CatalogError } from "../../../packages/client/src/catalog-client.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { FoundCourse } from "../resolve/placed-course.ts";
import { createSourceLinks } from "../resolve/source-links.ts";
import { cutText } from "../quote.ts";
import type { ContentSource, SourceOptions } from "../source.ts";
import { createSource, type OpenReader } from "./create-source.ts";
import type { ServiceCourse } from "./service-answers.ts";
import { downloadCatalog, type Download, type ServiceAccess } from "./service-download.ts";
import type { SpooledText } from "../files/spool.ts";

/** The maximum number of characters quoted from a service's message. */
const MAX_MESSAGE = 500;

/**
 * Opens the catalog that a key can read at another service: one release, if the service numbers releases. Keeps the
 * catalog's dates. Downloads the catalog once, in `prepare` or else in the first read, and throws ExpectedError on
 * failure.
 */
export function openServiceSource(
  url: string,
  access: ServiceAccess,
  { assetBase, inspection, onLesson, limits = DEFAULT_LIMITS }: SourceOptions,
): ContentSource {
  const host = hostOf(url);
  const stage = { links: createSourceLinks(assetBase), limits, reportsEmpty: false };
  let download: Promise<Download> | undefined;
  const read = async (): Promise<Download> =>
    (download ??= downloadCatalog({ ...access, url, host, limits, onLesson }).catch((error: unknown) => {
      throw explain(host, error);
    }));
  const open = async (): Promise<OpenReader> => {
    const { courses, spool, warnings } = await read();
    const toFound = (id: string, text: SpooledText): FoundCourse => ({
      key: id,
      async read() {
        const value = JSON.parse(await spool.read(text)) as ServiceCourse;
        const lessonCount = value.chapters.reduce((sum, { lessons }) => sum + lessons.length, 0);
        return { value, place: { file: `${host}/${id}` }, lessonCount };
      },
    });
    return {
      stage,
      async *findCourses(report) {
        for (const warning of warnings) report(warning);
        for (const [id, text] of courses) yield toFound(id, text);
      },
    };
  };
  return {
    // Without `onLesson`, since the download already calls it for each lesson.
    ...createSource(`service ${host}`, open, { inspection }),
    async prepare() {
      await read();
    },
    async close() {
      const opened = await download?.catch(() => undefined);
      await opened?.spool.close();
    },
  };
}

function explain(host: string, error: unknown): unknown {
  if (!(error instanceof CatalogError)) return error;
  const { status } = error;
  const message = cutText(error.message, MAX_MESSAGE);
  const hint = status === 401 ? "; pass the service's key with --api-key-stdin" : "";
  return new ExpectedError(`${host} cannot be mirrored: ${status === 0 ? "" : `${status}, `}${message}${hint}`, {
    cause: error,
  });
}

function hostOf(url: string): string {
  if (!URL.canParse(url))
    throw new ExpectedError(`${url} is not the URL of a service. Use a URL such as https://courses.example.org.`);
  const { username, password, host } = new URL(url);
  if (username !== "" || password !== "") throw new ExpectedError("Pass the key with --api-key-stdin, not in the URL.");
  return host;
}
