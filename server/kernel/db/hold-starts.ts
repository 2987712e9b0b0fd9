import { Client } from 'pg'
import { applicationName } from './application-name.ts'
import { migrationLock } from './migrate.ts'
import { rolesOf } from './roles.ts'

/** Application name of the connections of `work`, so that they don't count as a server. */
const ownName = applicationName('maintenance')

export type HeldStarts = {
  /** Address of the application's role for `work`. */
  appUrl: string
  /** Whether a server of this version or of an earlier one is connected from another process. */
  serverRunning(): Promise<boolean>
}

/** Runs `work` while no server can get past its migrations. A server may have done so just before. */
export async function holdStarts<T>(
  ownerUrl: string,
  appUrl: string,
  work: (held: HeldStarts) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    const url = new URL(appUrl)
    url.searchParams.set('application_name', ownName)
    return await work({
      appUrl: url.href,
      async serverRunning() {
        const { server, predecessor } = await rolesOf(client)
        const { rowCount } = await client.query(
          `select 1 from pg_stat_activity
           where datname = current_database() and usename = any($1) and application_name <> $2 limit 1`,
          [[server, predecessor], ownName],
        )
        return rowCount !== 0
      },
    })
  } finally {
    await client.end()
  }
}
