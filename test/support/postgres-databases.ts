// Databases on the shared server, each as `openStore` leaves a new one. Creating one takes the server a sixth of a second, so
// returned ones are emptied and reused, unless the test changed more than rows.
import { SQL } from "bun";
import { openStore } from "../../src/store/open-store.ts";

const TEMPLATE = "store_template";

/**
 * Saves the rows of a new store in tables of the same names, and records later changes of the schema: such a database
 * is not reused.
 */
const PREPARE_RESET = `
  create schema initial;
  do $$
  declare
    kept name;
    is_filled boolean;
  begin
    for kept in select tablename from pg_tables where schemaname = 'public' loop
      execute format('select exists (select from public.%I)', kept) into is_filled;
      if is_filled then execute format('create table initial.%I as table public.%I', kept, kept); end if;
    end loop;
  end $$;
  create schema noted;
  create table noted.schema_changes (command text);
  create function noted.note_schema_change() returns event_trigger language plpgsql security definer
    as $$ begin insert into noted.schema_changes values (tg_tag); end $$;
  create event trigger note_schema_change on ddl_command_end execute function noted.note_schema_change()`;

/**
 * Restores a database's first rows with a new identity, and ends other connections to it. Fails if that is impossible.
 * Deletes few rows instead of truncating, which takes longer.
 */
const RESET = `
  do $$
  declare
    filled regclass;
    kept name;
  begin
    if exists (select from noted.schema_changes)
      or not (select coalesce(bool_and(pg_terminate_backend(pid, 10000)), true) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid())
    then
      raise exception 'cannot be reset';
    end if;
    set session_replication_role = replica;
    for filled in select oid from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_relation_size(oid) > 0
    loop
      if pg_relation_size(filled) > 100000 then execute format('truncate %s cascade', filled);
      else execute format('delete from %s', filled);
      end if;
    end loop;
    for kept in select tablename from pg_tables where schemaname = 'initial' loop
      execute format('insert into public.%I overriding system value select * from initial.%I', kept, kept);
    end loop;
    perform setval(seqrelid, seqstart, false) from pg_sequence;
    update store_identity set identity = gen_random_uuid();
  end $$`;

/** Prepares a server for `takeDatabase`. */
export async function createTemplate(serverUrl: string): Promise<void> {
  const sql = connect(serverUrl);
  await sql.unsafe(`create database ${TEMPLATE}`);
  await sql`create table idle_databases (name text, given_back timestamptz default now())`;
  await (await openStore(`${serverUrl}/${TEMPLATE}`, { create: true })).close();
  await withConnection(`${serverUrl}/${TEMPLATE}`, (template) => template.unsafe(PREPARE_RESET));
}

/** Returns the name of a database with an empty store that no other test uses. */
export async function takeDatabase(serverUrl: string): Promise<string> {
  const name = createName();
  const sql = connect(serverUrl);
  const [idle] = await sql<{ name: string }[]>`
    delete from idle_databases where name =
      (select name from idle_databases order by given_back limit 1 for update skip locked) returning name`;
  // Renamed, so that leftovers of a test cannot find it.
  if (idle !== undefined) await sql.unsafe(`alter database ${idle.name} rename to ${name}`);
  else await sql.unsafe(`create database ${name} template ${TEMPLATE} strategy file_copy`);
  return name;
}

/**
 * Takes a database back: empties it for another test over the test's connection, if any, and closes that. A database that
 * cannot be reused ends with its server.
 */
export async function giveBackDatabase(serverUrl: string, name: string, used?: SQL): Promise<void> {
  try {
    // A connection that has seen the tables empties them in a fifth of a new one's time.
    await using sql = used ?? new SQL(`${serverUrl}/${name}`, { max: 1 });
    await sql.unsafe(`rollback; ${RESET}`);
  } catch (error) {
    if (error instanceof SQL.PostgresError) return;
    throw error;
  }
  await connect(serverUrl)`insert into idle_databases values (${name})`;
}

/** A unique database name. */
export function createName(): string {
  return `test_${crypto.randomUUID().replaceAll("-", "")}`;
}

let connection: SQL | undefined;

/** The connection that manages databases. Closes when unused. */
function connect(serverUrl: string): SQL {
  connection ??= new SQL(`${serverUrl}/postgres`, { max: 1, idleTimeout: 2 });
  return connection;
}

/** Uses a connection to a database, and closes it. */
export async function withConnection<T>(url: string, use: (sql: SQL) => PromiseLike<T>): Promise<T> {
  await using sql = new SQL(url, { max: 1, bigint: true });
  return await use(sql);
}
