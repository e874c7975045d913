import { ExpectedError } from "../catalog/expected-error.ts";

export class DatabaseMissing extends ExpectedError {
  constructor(what: string) {
    super(`${what}; \`npm start\`, \`lectern import\` and \`lectern keys create\` make one.`);
  }
}

export class NotOurDatabase extends ExpectedError {}

export class DatabaseUnreachable extends ExpectedError {}

/** The file is damaged, or something else has overwritten it while it was in use. */
export class DatabaseDamaged extends ExpectedError {}

export class DatabaseBusy extends ExpectedError {
  constructor(path: string, cause: unknown) {
    super(
      `Another process is writing to the database ${path}, and did not end in time: \`lectern vacuum\` takes minutes with a ` +
        "large one. Nothing was changed; run the command again when that process has ended.",
      { cause },
    );
  }
}

export class DiskFull extends ExpectedError {
  constructor(disk: string, cause: unknown) {
    super(
      `There is no room left on ${disk}. What was under way was not done. Make room, there or in the database with ` +
        "`lectern prune --keep N`, and run the command again.",
      { cause },
    );
  }
}

export class UnreleasedSchema extends ExpectedError {
  constructor(place: string) {
    super(
      `The database ${place} was made by an unreleased version of Lectern and was left as it is. Name a new database and import ` +
        "the content again; register keys again with `lectern keys create --stdin`, which needs their plain text.",
    );
  }
}

export class TooLittleRoom extends ExpectedError {
  constructor(path: string, needed: number, free: number) {
    const format = (bytes: number): string => `${Math.ceil(bytes / 1_000_000).toLocaleString("en-US")} MB`;
    super(
      `To write ${path} anew takes ${format(needed)} beside it for a while, and ${format(free)} are free. Make room, or ` +
        "take less: `lectern prune --keep N`.",
    );
  }
}
