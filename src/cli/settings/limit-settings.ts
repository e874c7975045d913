// How much is read of lessons, lines, files and archives.
import { DEFAULT_ARCHIVE_LIMITS, DEFAULT_LIMITS, DEFAULT_SERVICE_LIMITS, MIB } from "../../content/limits.ts";
import { define, parseWhole } from "./setting.ts";

/** A text takes several times its size in memory, and a string cannot be larger than 2 GiB. */
const MAX_SIZE_MIB = 512;

const parseSize = parseWhole("a size in MiB", 1, MAX_SIZE_MIB);

/** The limits of what is read. */
export const limitSettings = {
  maxAssetSize: define({
    flag: "max-asset-size",
    placeholder: "MIB",
    description: "largest file that is stored, in MiB",
    default: 50,
    parse: parseSize,
  }),
  maxLineSize: define({
    flag: "max-line-size",
    placeholder: "MIB",
    description: "largest line of NDJSON that is read, in MiB",
    default: DEFAULT_LIMITS.maxLineBytes / MIB,
    parse: parseSize,
  }),
  maxFileSize: define({
    flag: "max-file-size",
    placeholder: "MIB",
    description: "largest lesson or outline file that is read, in MiB",
    default: DEFAULT_LIMITS.maxFileBytes / MIB,
    parse: parseSize,
  }),
  maxLessonSize: define({
    flag: "max-lesson-size",
    placeholder: "MIB",
    description: "largest lesson that is published, in MiB of what readers get",
    default: DEFAULT_LIMITS.maxLessonBytes / MIB,
    parse: parseSize,
  }),
  maxNodes: define({
    flag: "max-nodes",
    placeholder: "N",
    description: "most nodes of a text: values of YAML and JSON, with aliases written out, parts of Markdown",
    default: DEFAULT_LIMITS.maxNodes,
    parse: parseWhole("a number of nodes", 100, 99_999_999),
  }),
  maxArchiveSize: define({
    flag: "max-archive-size",
    placeholder: "MIB",
    description: "most that an archive holds, unpacked, in MiB",
    default: DEFAULT_ARCHIVE_LIMITS.maxBytes / MIB,
    parse: parseWhole("a size in MiB", 1, 1_048_576),
  }),
  maxArchiveMembers: define({
    flag: "max-archive-members",
    placeholder: "N",
    description: "most files and folders of an archive",
    default: DEFAULT_ARCHIVE_LIMITS.maxMembers,
    parse: parseWhole("a number of files and folders", 1, 10_000_000),
  }),
  maxArchiveDepth: define({
    flag: "max-archive-depth",
    placeholder: "N",
    description: "most folders in folders of an archive",
    default: DEFAULT_ARCHIVE_LIMITS.maxDepth,
    parse: parseWhole("a number of folders", 1, 200),
  }),
  maxArchiveRatio: define({
    flag: "max-archive-ratio",
    placeholder: "N",
    description: "how many times as large as packed a member of an archive may be, above 16 MiB",
    default: DEFAULT_ARCHIVE_LIMITS.maxRatio,
    parse: parseWhole("a number of times", 2, 2000),
  }),
  maxServiceSize: define({
    flag: "max-service-size",
    placeholder: "MIB",
    description: "most that another service answers in all, unpacked, in MiB",
    default: DEFAULT_SERVICE_LIMITS.maxBytes / MIB,
    parse: parseWhole("a size in MiB", 1, 1_048_576),
  }),
  serviceTimeout: define({
    flag: "service-timeout",
    placeholder: "SECONDS",
    description: "longest that an answer of another service may take, in seconds",
    default: DEFAULT_SERVICE_LIMITS.timeoutMs / 1000,
    parse: parseWhole("a number of seconds", 1, 3600),
  }),
  serviceDeadline: define({
    flag: "service-deadline",
    placeholder: "MINUTES",
    description: "longest that another service is read, in minutes",
    default: DEFAULT_SERVICE_LIMITS.deadlineMs / 60_000,
    parse: parseWhole("a number of minutes", 1, 10_080),
  }),
};
