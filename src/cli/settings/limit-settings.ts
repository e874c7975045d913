// How much is read of lessons, lines, files and archives.
import { DEFAULT_ARCHIVE_LIMITS, DEFAULT_LIMITS, DEFAULT_SERVICE_LIMITS, MIB } from "../../content/limits.ts";
import { define, whole } from "./setting.ts";

/** A text takes several times its size in memory, and a string cannot be larger than 2 GiB. */
const MAX_SIZE_MIB = 512;

/** The limits of what is read. */
export const limitSettings = {
  maxAssetSize: define({
    ...whole("MIB", "a size in MiB", 1, MAX_SIZE_MIB),
    description: "largest file that is stored, in MiB",
    default: 50,
  }),
  maxLineSize: define({
    ...whole("MIB", "a size in MiB", 1, MAX_SIZE_MIB),
    description: "largest line of NDJSON that is read, in MiB",
    default: DEFAULT_LIMITS.maxLineBytes / MIB,
  }),
  maxFileSize: define({
    ...whole("MIB", "a size in MiB", 1, MAX_SIZE_MIB),
    description: "largest lesson or outline file that is read, in MiB",
    default: DEFAULT_LIMITS.maxFileBytes / MIB,
  }),
  maxLessonSize: define({
    ...whole("MIB", "a size in MiB", 1, MAX_SIZE_MIB),
    description: "largest lesson that is published, in MiB of what readers get",
    default: DEFAULT_LIMITS.maxLessonBytes / MIB,
  }),
  maxNodes: define({
    ...whole("N", "a number of nodes", 100, 99_999_999),
    description: "most nodes of a text: values of YAML and JSON, with aliases written out, parts of Markdown",
    default: DEFAULT_LIMITS.maxNodes,
  }),
  maxArchiveSize: define({
    ...whole("MIB", "a size in MiB", 1, 1_048_576),
    description: "most that an archive holds, unpacked, in MiB",
    default: DEFAULT_ARCHIVE_LIMITS.maxBytes / MIB,
  }),
  maxArchiveMembers: define({
    ...whole("N", "a number of files and folders", 1, 10_000_000),
    description: "most files and folders of an archive",
    default: DEFAULT_ARCHIVE_LIMITS.maxMembers,
  }),
  maxArchiveDepth: define({
    ...whole("N", "a number of folders", 1, 200),
    description: "most folders in folders of an archive",
    default: DEFAULT_ARCHIVE_LIMITS.maxDepth,
  }),
  maxArchiveRatio: define({
    ...whole("N", "a number of times", 2, 2000),
    description: "how many times as large as packed a member of an archive may be, above 16 MiB",
    default: DEFAULT_ARCHIVE_LIMITS.maxRatio,
  }),
  maxServiceSize: define({
    ...whole("MIB", "a size in MiB", 1, 1_048_576),
    description: "most that another service answers in all, unpacked, in MiB",
    default: DEFAULT_SERVICE_LIMITS.maxBytes / MIB,
  }),
  serviceTimeout: define({
    ...whole("SECONDS", "a number of seconds", 1, 3600),
    description: "longest that an answer of another service may take, in seconds",
    default: DEFAULT_SERVICE_LIMITS.timeoutMs / 1000,
  }),
  serviceDeadline: define({
    ...whole("MINUTES", "a number of minutes", 1, 10_080),
    description: "longest that another service is read, in minutes",
    default: DEFAULT_SERVICE_LIMITS.deadlineMs / 60_000,
  }),
};
