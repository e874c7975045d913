/** Bun's error codes for a failed or lost connection or an untrusted certificate. */
const BUN_CODE =
  /^(ERR_POSTGRES_(CONNECTION|IDLE_TIMEOUT|LIFETIME_TIMEOUT|TLS|AUTHENTICATION|QUERY_CANCELLED)|ERR_TLS|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/;

/**
 * SQLSTATEs (PostgreSQL, appendix A) that mean a temporarily unavailable server: connection exceptions, refused logins,
 * a missing or read-only database, exhausted resources, shutdown and startup, system errors, time-outs of statements
 * and locks, deadlocks, replica conflicts with vacuum, and damaged data.
 */
const SQL_STATE = /^(08|28|3D000|25006|53|57|58|40001|40P01|55P03|XX001|XX002)/;

const DENIED = "42501";
export const LOCKED = "55P03";
/** The SQLSTATE of a statement time-out or of an operator's pg_cancel_backend. */
const CANCELED = "57014";

/** Returns true if a statement took too long, because of a lock or a busy server. */
export function isDelay(error: unknown): boolean {
  const { errno } = (error ?? {}) as { errno?: unknown };
  return errno === CANCELED || errno === LOCKED;
}

/** Adds the cause to PostgreSQL's message about a statement time-out, for `/ready`, the log and commands. */
export function explainDelay(error: Error & { errno?: unknown }): Error {
  if (error.errno === CANCELED)
    error.message = `PostgreSQL answers, but a lock or load delays its statements (${error.message})`;
  return error;
}

export function describePostgresFault(error: Error): string | undefined {
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  if (errno === CANCELED)
    return `${error.message}. If a lock is the cause, end the session that holds it, as docs/operating.md describes. Then run the command again.`;
  if (errno === LOCKED) {
    return (
      "Another PostgreSQL session holds a lock that this command needs, and did not release it in time. " +
      "Find that session in pg_stat_activity (often `idle in transaction`), end it with pg_terminate_backend(pid), and run the command again."
    );
  }
  if (String(code).startsWith("ERR_POSTGRES") && isPostgresUnavailable(error)) {
    return (
      `PostgreSQL became unavailable (${error.message.replace(/\.$/, "")}); unpublished changes were rolled back. ` +
      "Run the command again."
    );
  }
  if (errno !== DENIED) return undefined;
  return (
    `${error.message}: the role in the database URL lacks a grant. Set --database or LECTERN_DATABASE to the URL of ` +
    "the role that owns the database; docs/postgres.md describes roles and grants."
  );
}

/** Explains a failed connection and the remedy. Bun does not distinguish an unknown host from a closed port. */
export async function describeConnectFault(error: Error & { code?: unknown }, url: string): Promise<string> {
  const { hostname } = new URL(url);
  if (error.code !== "ERR_POSTGRES_CONNECTION_REFUSED") return error.message.replace(/\.$/, "");
  const name = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, "$1");
  const isKnown = await Bun.dns.lookup(name).then(
    (addresses) => addresses.length > 0,
    () => false,
  );
  return isKnown
    ? "the connection was refused. Start PostgreSQL there, or correct --database or LECTERN_DATABASE"
    : `the host ${name} is unknown. Correct --database or LECTERN_DATABASE`;
}

/** Returns true if the error means an unavailable server, and false for a wrong query. */
export function isPostgresUnavailable(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  return (typeof code === "string" && BUN_CODE.test(code)) || (typeof errno === "string" && SQL_STATE.test(errno));
}

/** Returns true for SQLSTATEs of damaged or dropped tables and indexes. */
export function isPostgresDamage(error: unknown): boolean {
  const { errno } = (error ?? {}) as { errno?: unknown };
  return errno === "XX001" || errno === "XX002" || errno === "42P01";
}
