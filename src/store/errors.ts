import { ExpectedError } from "../catalog/expected-error.ts";

/** There is no database, or nothing of ours in it, and none was to be made. */
export class DatabaseMissing extends ExpectedError {
  /** `what` is missing, as a sentence without its end. */
  constructor(what: string) {
    super(`${what}; \`npm start\`, \`lectern import\` and \`lectern keys create\` make one.`);
  }
}

/** What was named is no database of this program. */
export class NotOurDatabase extends ExpectedError {}

/** There is no way to the database, or it lets nobody in. */
export class DatabaseUnreachable extends ExpectedError {}

/** Something other than the database has written over its file, under those who use it. */
export class DatabaseDamaged extends ExpectedError {}

/** Another process was writing to the database for longer than this one waits. */
export class DatabaseBusy extends ExpectedError {
  constructor(path: string, cause: unknown) {
    super(
      `Another process is writing to the database ${path}, and was waited for in vain: \`lectern vacuum\` takes minutes with a ` +
        "large one. What was under way was not done; run the command again when that has ended.",
      { cause },
    );
  }
}

/** A change found no room on the disk, and was not made. */
export class DiskFull extends ExpectedError {
  /** `disk` names it: "the disk of the PostgreSQL server db.internal". */
  constructor(disk: string, cause: unknown) {
    super(
      `There is no room left on ${disk}. What was under way was not done. Make room, there or in the database with ` +
        "`lectern prune --keep N`, and run the command again.",
      { cause },
    );
  }
}

/** The database has a schema of a version that was never released. */
export class UnreleasedSchema extends ExpectedError {
  /** `place` names the database. */
  constructor(place: string) {
    super(
      `The database ${place} was made by an unreleased version of Lectern and was left as it is. Name a new database and import ` +
        "the content again; register keys again with `lectern keys create --stdin`, which needs their plain text.",
    );
  }
}

/** What would be written does not fit beside what is there. Nothing was done. */
export class TooLittleRoom extends ExpectedError {
  /** Sizes in bytes. */
  constructor(path: string, needed: number, free: number) {
    const format = (bytes: number): string => `${Math.ceil(bytes / 1_000_000).toLocaleString("en-US")} MB`;
    super(
      `To write ${path} anew takes ${format(needed)} beside it for a while, and ${format(free)} are free. Make room, or ` +
        "take less: `lectern prune --keep N`.",
    );
  }
}
