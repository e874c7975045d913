/** An error for people: commands print its message without a stack. */
export class ExpectedError extends Error {}
