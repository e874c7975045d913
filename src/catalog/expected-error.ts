/** An error for people: commands print its message without a stack trace. */
export class ExpectedError extends Error {}
