/** The service refused a request or could not be reached. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
  /** The HTTP status; 0 if there was no readable answer. */
  readonly status: number;
  /** The request's URL, without the key; undefined if no request was sent. */
  readonly url: string | undefined;

  constructor(status: number, message: string, options: ErrorOptions & { url?: string | undefined } = {}) {
    super(message, options);
    this.status = status;
    this.url = options.url;
  }
}
