/** What Bun says when there is no connection, or no more; and when the server's certificate is not to be trusted. */
const BUN_CODE =
  /^(ERR_POSTGRES_(CONNECTION|IDLE_TIMEOUT|LIFETIME_TIMEOUT|TLS|AUTHENTICATION|QUERY_CANCELLED)|ERR_TLS|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/;

/**
 * SQLSTATEs (PostgreSQL, appendix A) of a server that cannot answer just now: connection exceptions, refused logins, no
 * such database, read-only, resources used up, ended or not yet begun, statement time-out, system errors, and a replica
 * that gives up a read because the rows are vacuumed away on the primary.
 */
const SQL_STATE = /^(08|28|3D000|25006|53|57|58|40001|40P01|55P03|XX001|XX002)/;

/** True for errors that say that the server cannot be used just now, not that a query is wrong. */
export function isPostgresUnavailable(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  return (typeof code === "string" && BUN_CODE.test(code)) || (typeof errno === "string" && SQL_STATE.test(errno));
}
