/**
 * A query for what tells the database apart from a restored copy of it, which has the same content and the same keys: the moment at
 * which its PostgreSQL started, to the microsecond, and its number there. Equal for all who are connected to it at the same time.
 */
export const databaseIdentity = `select extract(epoch from pg_postmaster_start_time())::text || '/' || oid as identity
  from pg_database where datname = current_database()`
