/** The service refused a request, or was not reached. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
  /** The HTTP status; 0 without an answer that can be read. */
  readonly status: number;
  /** The address of the request, without the key; undefined where none was sent. */
  readonly url: string | undefined;

  constructor(status: number, message: string, options: ErrorOptions & { url?: string | undefined } = {}) {
    super(message, options);
    this.status = status;
    this.url = options.url;
  }
}
