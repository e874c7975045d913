import { ExpectedError } from "../catalog/expected-error.ts";

/** The whole database is unusable, and servers answer 503. After BodyDamaged, for one damaged row, they answer 500. */
export class DatabaseUnusable extends ExpectedError {}

export class DatabaseMissing extends ExpectedError {
  /** The message without the remedy. */
  readonly what: string;
  readonly restore: string;

  constructor(what: string, restore = "`lectern restore BACKUP`") {
    super(
      `${what}. Create one with \`npm start\`, \`lectern import\` or \`lectern keys create\`, restore a backup with ` +
        `${restore}, or set --database or LECTERN_DATABASE.`,
    );
    this.what = what;
    this.restore = restore;
  }
}

export function databaseDamaged(database: string, cause: unknown): ExpectedError {
  return new ExpectedError(
    `${database} is damaged: restore a backup (\`lectern restore FILE\`), or import into a new database.`,
    { cause },
  );
}

export function diskFull(disk: string, cause: unknown): ExpectedError {
  return new ExpectedError(
    `No space left on ${disk}. The command was undone. Free some space there, or in the database with ` +
      "`lectern prune --keep N`, and run the command again.",
    { cause },
  );
}
