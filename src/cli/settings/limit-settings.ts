// How much is read of lessons, lines, files, archives and other services.
import { DEFAULT_ARCHIVE_LIMITS, DEFAULT_LIMITS, DEFAULT_SERVICE_LIMITS, MIB } from "../../content/limits.ts";
import { size, whole } from "./setting.ts";

/** A text takes several times its size in memory, and a string cannot be larger than 2 GiB. */
const MAX_TEXT = 512;
const MAX_SUM = 1_048_576;
const { maxLineBytes, maxFileBytes, maxLessonBytes, maxNodes } = DEFAULT_LIMITS;
const { maxBytes: maxArchiveBytes, maxMembers, maxDepth, maxRatio } = DEFAULT_ARCHIVE_LIMITS;
const { maxBytes: maxServiceBytes, timeoutMs, deadlineMs } = DEFAULT_SERVICE_LIMITS;

export const limitSettings = {
  maxAssetSize: size("largest file that is stored", 50, 1, MAX_TEXT),
  maxLineSize: size("largest line of NDJSON that is read", maxLineBytes / MIB, 1, MAX_TEXT),
  maxFileSize: size("largest lesson or outline file that is read", maxFileBytes / MIB, 1, MAX_TEXT),
  maxLessonSize: size("largest lesson that is published, as readers get it", maxLessonBytes / MIB, 1, MAX_TEXT),
  maxNodes: whole("N", 100, 99_999_999, maxNodes, "most nodes of a text: values of YAML and JSON, parts of Markdown"),
  maxArchiveSize: size("most that an archive holds, unpacked", maxArchiveBytes / MIB, 1, MAX_SUM),
  maxArchiveMembers: whole("N", 1, 10_000_000, maxMembers, "most files and folders of an archive"),
  maxArchiveDepth: whole("N", 1, 200, maxDepth, "most folders in folders of an archive"),
  maxArchiveRatio: whole(
    "N",
    2,
    2000,
    maxRatio,
    "most times that a member above 16 MiB is larger unpacked than packed",
  ),
  maxServiceSize: size("most that another service answers in all, unpacked", maxServiceBytes / MIB, 1, MAX_SUM),
  serviceTimeout: whole("SECONDS", 1, 3600, timeoutMs / 1000, "seconds that an answer of another service may take"),
  serviceDeadline: whole("MINUTES", 1, 10_080, deadlineMs / 60_000, "minutes that another service is read"),
};
