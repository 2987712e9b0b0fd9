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

type Application = { role: string; password: string }

/** A database that others are copied from. */
type Template = {
  name: string
  /** One caller at a time makes or copies it: PostgreSQL refuses to copy a template that is in use. */
  lock: number
  /** Creates the database `name`, fills it, and returns the application's role, which the copies share. */
  make(server: Client): Promise<Application>
}

/**
 * Creates a migrated database for one suite on the server of TEST_DATABASE_URL (a role that may create databases and
 * roles). The first caller after a change of the migrations creates a template, which others copy.
 */
export const testDatabase = async (): Promise<TestDatabase> => await copyOf(await migrated())

/** The same with the demo, which `seed` makes in the first database of this run on this day. */
export async function demoDatabase(
  { run, day }: { run: string; day: string },
  seed: (ownerUrl: string) => Promise<void>,
): Promise<TestDatabase> {
  const base = await migrated()
  const name = demoName(`${run}_${day}`)
  return await copyOf({
    name,
    lock: 7_310_454,
    async make(server) {
      const application = await copy(server, base, name)
      await seed(databaseUrl(name).href)
      return application
    },
  })
}

/** Drops the demos of a run. Their copies have been closed by their suites. */
export async function dropDemos(run: string): Promise<void> {
  const made = await withServer(async (server) => {
    const { rows } = await server.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [demoName(`${run}_`)],
    )
    return rows
  })
  for (const { datname } of made) await drop(datname)
}

const demoName = (run: string) => `cs_demo_${run.toLowerCase().replaceAll(/[^a-z0-9]/g, '_')}`

async function migrated(): Promise<Template> {
  const name = `cs_template_${await migrationsDigest()}`
  return {
    name,
    lock: 7_310_453,
    async make(server) {
      await server.query(`create database ${escapeIdentifier(name)}`)
      const { username: role, password } = new URL(await migrate(databaseUrl(name).href))
      return { role, password }
    },
  }
}

/** A database that nothing has migrated. */
export async function emptyDatabase(): Promise<Pick<TestDatabase, 'ownerUrl' | 'close'>> {
  const name = newName()
  await withServer((server) => server.query(`create database ${escapeIdentifier(name)}`))
  return { ownerUrl: databaseUrl(name).href, close: () => drop(name) }
}

const newName = () => `cs_test_${randomBytes(6).toString('hex')}`

const drop = (name: string): Promise<void> =>
  withServer(async (server) => {
    await server.query(`drop database if exists ${escapeIdentifier(name)} with (force)`)
  })

async function copyOf(template: Template): Promise<TestDatabase> {
  const name = newName()
  const { role, password } = await withServer((server) => copy(server, template, name))
  const ownerUrl = databaseUrl(name).href
  const appUrl = new URL(ownerUrl)
  appUrl.username = role
  appUrl.password = password
  return {
    ownerUrl,
    appUrl: appUrl.href,
    close: () => drop(name),
  }
}

async function copy(server: Client, template: Template, name: string): Promise<Application> {
  await server.query('select pg_advisory_lock($1)', [template.lock])
  const application = await ensure(server, template)
  await server.query(`create database ${escapeIdentifier(name)} template ${escapeIdentifier(template.name)}`)
  await server.query('select pg_advisory_unlock($1)', [template.lock])
  return application
}

/**
 * Makes the template if there is none. The password of the application's role is in the template's comment, which is written
 * last: a template without one was not completed.
 */
async function ensure(server: Client, { name, make }: Template): Promise<Application> {
  const { rows } = await server.query<{ comment: string | null }>(
    `select shobj_description(oid, 'pg_database') as comment from pg_database where datname = $1`,
    [name],
  )
  const comment = rows[0]?.comment
  if (comment != null) return JSON.parse(comment)
  await server.query(`drop database if exists ${escapeIdentifier(name)} with (force)`)
  const application = await make(server)
  await server.query(`comment on database ${escapeIdentifier(name)} is ${escapeLiteral(JSON.stringify(application))}`)
  // A connection of the migration may take a moment to close. After that, the template accepts no connections.
  await server.query(`alter database ${escapeIdentifier(name)} allow_connections false`)
  await server.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [name])
  return application
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

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL
  if (url === undefined) throw new Error('TEST_DATABASE_URL is not set: run the tests by npm test.')
  return url
}

function databaseUrl(name: string): URL {
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  return url
}

/** The end of the session gives up its advisory locks, also after a failure. */
async function withServer<T>(work: (server: Client) => Promise<T>): Promise<T> {
  const server = new Client({ connectionString: serverUrl() })
  await server.connect()
  try {
    return await work(server)
  } finally {
    await server.end()
  }
}
