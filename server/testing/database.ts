import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Client, escapeIdentifier, escapeLiteral } from 'pg'
import { migrate } from '#server/kernel/db/migrate.ts'

export type TestDatabase = {
  /** The address as the owner, who is not subject to row-level security. */
  ownerUrl: string
  /** The address as the application's role. */
  appUrl: string
  /** Drops the database. Close pools first: connections that remain are terminated. */
  close(): Promise<void>
}

/** The database is copied by one caller at a time: PostgreSQL refuses to copy a template that is in use. */
const templateLock = 7_310_453

/**
 * Creates a migrated database for one suite on the server of TEST_DATABASE_URL (a role that may create databases and
 * roles). The first caller after a change of the migrations creates a template, which others copy.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_DATABASE_URL
  if (serverUrl === undefined) throw new Error('TEST_DATABASE_URL is not set: run the tests by npm test.')
  const name = `cs_test_${randomBytes(6).toString('hex')}`
  const application = await withServer(serverUrl, async (server) => {
    await server.query('select pg_advisory_lock($1)', [templateLock])
    const template = await ensureTemplate(server, serverUrl)
    await server.query(`create database ${escapeIdentifier(name)} template ${escapeIdentifier(template.name)}`)
    return template.application
  })
  const appUrl = databaseUrl(serverUrl, name)
  appUrl.username = application.role
  appUrl.password = application.password
  return {
    ownerUrl: databaseUrl(serverUrl, name).href,
    appUrl: appUrl.href,
    close: () =>
      withServer(serverUrl, async (server) => {
        await server.query(`drop database if exists ${escapeIdentifier(name)} with (force)`)
      }),
  }
}

type Application = { role: string; password: string }

/**
 * Returns the template of these migrations. The copies share its application role, whose password is in the template's
 * comment. The comment is written last: a template without one was not completed.
 */
async function ensureTemplate(server: Client, serverUrl: string): Promise<{ name: string; application: Application }> {
  const name = `cs_template_${await migrationsDigest()}`
  const { rows } = await server.query<{ comment: string | null }>(
    `select shobj_description(oid, 'pg_database') as comment from pg_database where datname = $1`,
    [name],
  )
  const comment = rows[0]?.comment
  if (comment != null) {
    const application: Application = JSON.parse(comment)
    return { name, application }
  }
  await server.query(`drop database if exists ${escapeIdentifier(name)} with (force)`)
  await server.query(`create database ${escapeIdentifier(name)}`)
  const { username: role, password } = new URL(await migrate(databaseUrl(serverUrl, name).href))
  const application: Application = { role, password }
  await server.query(`comment on database ${escapeIdentifier(name)} is ${escapeLiteral(JSON.stringify(application))}`)
  // A connection of the migration may take a moment to close. After that, the template accepts no connections.
  await server.query(`alter database ${escapeIdentifier(name)} allow_connections false`)
  await server.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [name])
  return { name, application }
}

/** Changes with the migrations and with the queue's library, which creates its own tables. */
async function migrationsDigest(): Promise<string> {
  const folder = new URL('../kernel/db/migrations/', import.meta.url)
  const hash = createHash('sha256')
  for (const file of (await readdir(folder)).sort()) hash.update(file).update(await readFile(new URL(file, folder)))
  hash.update(await readFile(new URL('../kernel/db/migrate.ts', import.meta.url)))
  hash.update(await readFile(new URL(import.meta.resolve('pg-boss/package.json'))))
  return hash.digest('hex').slice(0, 12)
}

function databaseUrl(serverUrl: string, name: string): URL {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url
}

async function withServer<T>(serverUrl: string, work: (server: Client) => Promise<T>): Promise<T> {
  const server = new Client({ connectionString: serverUrl })
  await server.connect()
  try {
    return await work(server)
  } finally {
    // Ends the session and with it the advisory lock.
    await server.end()
  }
}
