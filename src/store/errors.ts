import { ExpectedError } from "../catalog/expected-error.ts";

/** There is no database, or nothing of ours in it, and none was to be made. */
export class DatabaseMissing extends ExpectedError {
  /** `what` is missing, as a sentence without its end. */
  constructor(what: string) {
    super(`${what}; \`npm start\`, \`lectern import\` and \`lectern keys create\` make one.`);
  }
}

/** The file or database is not one of this program. */
export class NotOurDatabase extends ExpectedError {}

/** The database cannot be reached, or refuses the login. */
export class DatabaseUnreachable extends ExpectedError {}

/** The file is damaged, or something else has overwritten it while it was in use. */
export class DatabaseDamaged extends ExpectedError {}

/** Another process was writing to the database for longer than this one waits. */
export class DatabaseBusy extends ExpectedError {
  constructor(path: string, cause: unknown) {
    super(
      `Another process is writing to the database ${path}, and did not end in time: \`lectern vacuum\` takes minutes with a ` +
        "large one. Nothing was changed; run the command again when that process has ended.",
      { cause },
    );
  }
}

/** The disk is full; nothing was changed. */
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

/** The disk has no space for a second copy of the database. Nothing was changed. */
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
