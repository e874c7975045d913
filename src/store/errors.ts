import { ExpectedError } from "../catalog/expected-error.ts";

/** The whole database is unusable: servers answer 503. BodyDamaged, a damaged row, gives 500. */
export class DatabaseUnusable extends ExpectedError {}

export class DatabaseMissing extends ExpectedError {
  constructor(what: string) {
    super(`${what}; \`npm start\`, \`lectern import\` and \`lectern keys create\` create one.`);
  }
}

export function diskFull(disk: string, cause: unknown): ExpectedError {
  return new ExpectedError(
    `No space left on ${disk}. The command was undone. Free some space, there or in the database with ` +
      "`lectern prune --keep N`, and run the command again.",
    { cause },
  );
}
