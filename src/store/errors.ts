import { ExpectedError } from "../catalog/expected-error.ts";

/** The whole database cannot be used: a server answers 503. A damaged row is BodyDamaged, which is 500. */
export class DatabaseUnusable extends ExpectedError {}

export class DatabaseMissing extends ExpectedError {
  constructor(what: string) {
    super(`${what}; \`npm start\`, \`lectern import\` and \`lectern keys create\` make one.`);
  }
}

export function diskFull(disk: string, cause: unknown): ExpectedError {
  return new ExpectedError(
    `There is no room left on ${disk}. What was under way was not done. Make room, there or in the database with ` +
      "`lectern prune --keep N`, and run the command again.",
    { cause },
  );
}
