import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runBackupCommand, runRestoreCommand } from '#server/backup-command.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { migrationLock } from '#server/kernel/db/migrate.ts'
import { newId } from '#server/kernel/ids.ts'
import { type Calls, callsTo, payload } from '#server/testing/api.ts'
import { type TestDatabase, testDatabase } from '#server/testing/database.ts'
import { testEnvironment } from '#server/testing/processes/environment.ts'
import { startProcess } from '#server/testing/processes/start-process.ts'
import { until } from '#server/testing/until.ts'
import { chunkOf, openContents } from './read-backup.ts'

// A server with the demo is backed up while it runs, and its backup restored into empty places. The databases belong to a role
// without superuser, as in an operator's own PostgreSQL.

const masterKey = Buffer.alloc(32, 5).toString('base64')
let folder: string
let source: TestDatabase
let server: ChildProcess
let api: Calls
let recipient: string
const backup = () => join(folder, 'backup.age')
const identity = () => join(folder, 'identity.txt')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-backup-'))
  const secret = await generateX25519Identity()
  recipient = await identityToRecipient(secret)
  await writeFile(identity(), `# created for a test\n${secret}\n`)
  source = await ownedDatabase()
  const started = await startProcess({ ...settings('source'), DATABASE_URL: source.ownerUrl })
  server = started.child
  const credentials = JSON.parse(await readFile(join(folder, 'source/demo-credentials.json'), 'utf8'))
  api = callsTo(started.baseUrl, credentials)
  await asSuperuser(source.ownerUrl, (client) =>
    until(async () => {
      const waiting = await client.query(`select from executions where status = 'waiting_approval'`)
      return waiting.rowCount === 0 ? undefined : true
    }, 'the execution that waits for jonas'),
  )
  const upload = await api.request(await api.client('ci-pipeline'), '/v1/files?name=note.txt', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'a note',
  })
  expect(upload.status, upload.text).toBeLessThan(300)
  await everythingSigned()
  await back([backup(), '--recipient', recipient])
}, 120_000)
afterAll(async () => {
  server.kill('SIGTERM')
  await once(server, 'exit')
  await source.close()
  await rm(folder, { recursive: true, force: true })
})

const settings = (name: string) => ({
  PORT: '0',
  LOG_LEVEL: 'error',
  DATA_DIR: join(folder, name),
  SEED_DEMO: name === 'source' ? 'true' : 'false',
})
const configOf = (name: string, database: TestDatabase, more: Record<string, string> = {}) =>
  loadConfig({ ...settings(name), DATABASE_URL: database.ownerUrl, ...more })

async function back(args: string[], more: Record<string, string> = {}): Promise<string[]> {
  const said: string[] = []
  await runBackupCommand(
    () => configOf('source', source, more),
    args,
    (line) => said.push(line),
  )
  return said
}

async function restore(name: string, database: TestDatabase, args: string[], more: Record<string, string> = {}) {
  const said: string[] = []
  await runRestoreCommand(
    () => configOf(name, database, more),
    args,
    (line) => said.push(line),
  )
  return said
}

/** An empty database whose owner is not a superuser. */
async function ownedDatabase(): Promise<TestDatabase> {
  const name = `cs_backup_${newId().replaceAll('-', '').slice(-12)}`
  const url = new URL(process.env.TEST_DATABASE_URL ?? '')
  await asSuperuser(url.href, async (client) => {
    await client.query(`create role ${name} login createrole password 'x'`)
    await client.query(`create database ${name} owner ${name}`)
  })
  const server = url.href
  url.pathname = `/${name}`
  url.username = name
  url.password = 'x'
  return {
    ownerUrl: url.href,
    appUrl: '',
    close: () =>
      asSuperuser(server, async (client) => {
        await client.query(`drop database ${name} with (force)`)
        for (const role of [`${name}_server`, `${name}_keeper`, name]) await client.query(`drop role if exists ${role}`)
      }),
  }
}

const everythingSigned = () =>
  asSuperuser(source.ownerUrl, (client) =>
    until(async () => {
      const unsigned = await client.query(`select from audit_days d where not exists (select from audit_checkpoints c
        where c.tenant_id = d.tenant_id and c.date = d.date and c.size = d.size)`)
      return unsigned.rowCount === 0 ? true : undefined
    }, 'the checkpoint of the latest record'),
  )

async function asSuperuser<T>(databaseUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const url = new URL(process.env.TEST_DATABASE_URL ?? '')
  url.pathname = new URL(databaseUrl).pathname
  const client = new Client({ connectionString: url.href })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The rows of a backup by table, in a stable order. */
async function rowsOf(path: string): Promise<Map<string, string[]>> {
  const { files } = await openContents(path, [(await readFile(identity(), 'utf8')).split('\n')[1] ?? ''])
  const tables = new Map<string, string[]>()
  for await (const file of files) {
    if (!file.name.startsWith('database/')) continue
    const { table, rows } = await chunkOf(file)
    tables.set(table, [...(tables.get(table) ?? []), ...rows.map((row) => JSON.stringify(row))])
  }
  for (const rows of tables.values()) rows.sort()
  return tables
}

const bytesBelow = async (path: string): Promise<Record<string, string>> => {
  const found: Record<string, string> = {}
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const at = join(entry.parentPath, entry.name)
      found[at.slice(path.length + 1)] = await readFile(at, 'base64')
    }
  return found
}

/** The tables that a restore adds to: its record, the new key, and what the signer writes. And the processes, which are others. */
const continued = /^public\.(audit_\w+|signing_keys|alarms|listening_processes)$|^pgboss\./

describe('a backup', () => {
  test('is readable only by its owner, and encrypted', async () => {
    expect((await stat(backup())).mode & 0o777).toBe(0o600)
    expect((await readFile(backup(), 'latin1')).startsWith('age-encryption.org/v1\n')).toBe(true)
    expect(await readdir(folder)).not.toContain('backup.age.unfinished')
  })

  test('needs a recipient, or --unencrypted, which warns', async () => {
    const file = join(folder, 'plain.tgz')
    await expect(back([file])).rejects.toThrow(/Name an age recipient with --recipient, or pass --unencrypted/)
    await expect(back([file, '--recipient', 'age1x'])).rejects.toThrow(/is not an age recipient/)
    await expect(back([file, '--recipient', recipient, '--unencrypted'])).rejects.toThrow(/exclude each other/)
    expect(await readdir(folder)).not.toContain('plain.tgz')
    expect(await back([file, '--unencrypted'])).toContainEqual(
      expect.stringMatching(/^Warning: the backup is not encr/),
    )
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await expect(back([file, '--unencrypted'])).rejects.toThrow(/plain.tgz exists/)
  })

  test('is refused without a database, in one line', async () => {
    const file = join(folder, 'none.tgz')
    const none = (more: Record<string, string>) =>
      runBackupCommand(
        () => loadConfig({ ...settings('none'), ...more }),
        [file, '--unencrypted'],
        () => undefined,
      )
    await expect(none({})).rejects.toThrow(/none does not contain a database/)
    const closed = 'postgres://x:y@127.0.0.1:1/z'
    await expect(none({ DATABASE_URL: closed })).rejects.toThrow(
      /^DATABASE_URL: the database 127.0.0.1:1\/z can't be used/,
    )
    expect(await readdir(folder)).not.toContain('none.tgz')
  })

  test('contains every row of every table, although row-level security limits the owner', async () => {
    const copied = await rowsOf(backup())
    const counts = await asSuperuser(source.ownerUrl, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select 'public.' || relname as name from pg_class where relnamespace = 'public'::regnamespace
           and relkind in ('r', 'p') and not relispartition and relname <> 'schema_migrations'`,
      )
      const found = new Map<string, number>()
      for (const { name } of rows)
        found.set(name, Number((await client.query(`select count(*) as n from ${name}`)).rows[0].n))
      return found
    })
    // The server runs on, and may have written since: after its first minute, it binds the rows of each tenant.
    const stable = [...counts].filter(
      ([name, count]) => count > 0 && !/audit|bound|budget|uses|realm_artifacts/.test(name),
    )
    expect(stable.length).toBeGreaterThan(25)
    for (const [name, count] of stable) expect(copied.get(name)?.length, name).toBe(count)
    expect(copied.get('public.audit_records')?.length).toBeGreaterThan(30)
  })
})

describe('a restore into an empty place', () => {
  let target: TestDatabase
  let said: string[]
  /** The signer's memory before the restore. */
  let kept: Awaited<ReturnType<typeof bytesBelow>>
  const again = () => join(folder, 'again.age')

  beforeAll(async () => {
    target = await ownedDatabase()
    // The operator has kept what the signer of the lost machine remembers, which has signed more since.
    const secret = { name: 'after-the-backup', value: 'a value' }
    payload(await api.mutate(await api.client('admin-automation'), 'secrets.create', secret))
    await everythingSigned()
    await cp(join(folder, 'source/signer-memory'), join(folder, 'target/signer-memory'), { recursive: true })
    kept = await bytesBelow(join(folder, 'target/signer-memory'))
    said = await restore('target', target, [backup(), '--identity', identity()])
    await runBackupCommand(
      () => configOf('target', target),
      [again(), '--recipient', recipient],
      () => undefined,
    )
  }, 120_000)
  afterAll(() => target.close())

  test('has the same rows, except those that continue the log', async () => {
    const [before, after] = [await rowsOf(backup()), await rowsOf(again())]
    for (const [table, rows] of before) if (!continued.test(table)) expect(after.get(table), table).toEqual(rows)
    expect([...after.keys()].filter((table) => !before.has(table) && !continued.test(table))).toEqual([])
    const earlier = after.get('public.audit_records') ?? []
    expect(before.get('public.audit_records')?.every((row) => earlier.includes(row))).toBe(true)
  })

  test('has the same files and keys', async () => {
    for (const name of ['master.key', 'demo-credentials.json'])
      expect(await readFile(join(folder, 'target', name)), name).toEqual(await readFile(join(folder, 'source', name)))
    const files = await bytesBelow(join(folder, 'target/files'))
    expect(Object.keys(files)).toHaveLength(1)
    expect(files).toEqual(await bytesBelow(join(folder, 'source/files')))
  })

  test('verifies every log, which continues under a new name with the heads of the backup in its first record', async () => {
    expect(said.filter((line) => /^(northwind|globex): 1 log verified/.test(line))).toHaveLength(2)
    await asSuperuser(target.ownerUrl, async (client) => {
      const { rows } = await client.query(
        `select t.slug, t.id, r.record -> 'details' as details, (select count(*)::int from audit_records b
            where b.tenant_id = r.tenant_id and (b.date, b.seq) < (r.date, r.seq)) as before
         from audit_records r join tenants t on t.id = r.tenant_id where r.type = 'audit_log.restored' order by slug`,
      )
      expect(rows).toHaveLength(2)
      const records = (await rowsOf(backup())).get('public.audit_records') ?? []
      for (const { slug, id, details, before } of rows) {
        // A record may not be signed yet when the backup reads it.
        expect(before, slug).toBe(records.filter((row) => row.includes(id)).length)
        const [head] = Object.values<{ size: number }>(details.before.days)
        expect(head?.size).toBeGreaterThan(10)
        expect(head?.size).toBeLessThanOrEqual(before)
        expect(details.before.origin).toMatch(/^localhost(:\d+)?\/t\//)
        expect(details.origin).toMatch(/^localhost(:\d+)?\/restored-[0-9a-f]{12}\/t\/[^/]+\/seals$/)
        // By the secret at least; the other tenant's log may have grown too.
        if (slug === 'northwind') expect(details).toMatchObject({ signedSince: { days: expect.anything() } })
        expect(details).not.toHaveProperty('memoryRefused')
      }
      const { rows: notes } = await client.query(
        `select split_part(note, E'\\n', 1) as origin, size from audit_checkpoints c join tenants t on t.id = c.tenant_id
         where slug = 'northwind' order by size desc`,
      )
      expect(notes[0].origin).toMatch(/\/restored-[0-9a-f]{12}\/t\//)
      expect(notes[1].origin).not.toMatch(/restored/)
    })
  })

  test('leaves the newer memory of the signer as it was', async () => {
    const now = await bytesBelow(join(folder, 'target/signer-memory'))
    for (const [name, bytes] of Object.entries(kept)) expect(now[name], name).toBe(bytes)
    const made = Object.keys(now).flatMap((name) => /^(.*\.restored-[0-9a-f]{12})\//.exec(name)?.[1] ?? [])
    expect(new Set(made).size).toBe(2)
  })

  test('starts, signs people in, continues the execution, and shows the break to everyone who knows the lost log', async () => {
    const { child, baseUrl } = await startProcess({ ...settings('target'), DATABASE_URL: target.ownerUrl })
    try {
      const restored = callsTo(baseUrl, api.credentials)
      const jonas = await restored.person('jonas')
      const { items } = payload<{ items: { approvalId: string }[] }>(
        await restored.query(jonas, 'approvals.getPending', {}),
      )
      expect(items).toHaveLength(1)
      const [id] = api.credentials.tenants
        .filter(({ slug }) => slug === 'northwind')
        .map(({ externalId }) => externalId)
      const keys = await restored.request(undefined, `/.well-known/countersign/${id}/log-keys.json`)
      expect(keys.status).toBe(200)
      const log = (keys.body as { keys: { purpose: string; predecessor: unknown }[] }).keys.filter(
        ({ purpose }) => purpose === 'log',
      )
      // The key in use is signed by the one before it.
      expect(log).toHaveLength(2)
      expect(log[0]?.predecessor).not.toBeNull()
    } finally {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  })
})

describe('a restore is refused', () => {
  let target: TestDatabase
  let number = 0
  let name: string
  beforeAll(async () => {
    target = await ownedDatabase()
  })
  beforeEach(() => {
    number += 1
    name = `refused-${number}`
  })
  afterAll(() => target.close())

  const untouched = async () => {
    expect(await readdir(join(folder, name)).catch(() => [])).toEqual([])
    const tables = await asSuperuser(target.ownerUrl, (client) =>
      client.query(`select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`),
    )
    expect(tables.rowCount).toBe(0)
  }
  const changed = async (
    change: (file: Awaited<ReturnType<typeof open>>, size: number) => Promise<unknown>,
    from: string,
  ) => {
    const path = join(folder, `${name}.backup`)
    await cp(from, path)
    const file = await open(path, 'r+')
    await change(file, (await file.stat()).size)
    await file.close()
    return path
  }

  test('without an identity, and with another one', async () => {
    await expect(restore(name, target, [backup()])).rejects.toThrow(/is encrypted. Name the file with its age identity/)
    const other = join(folder, 'other.txt')
    await writeFile(other, `${await generateX25519Identity()}\n`)
    await expect(restore(name, target, [backup(), '--identity', other])).rejects.toThrow(/can’t be decrypted/)
    await writeFile(other, 'no identity\n')
    await expect(restore(name, target, [backup(), '--identity', other])).rejects.toThrow(/does not contain an age/)
    await untouched()
  })

  test.each([0.02, 0.5, 0.98, 1])('from a file that was cut at %d of its length', async (part) => {
    for (const from of [backup(), join(folder, 'plain.tgz')]) {
      const cut = await changed((file, size) => file.truncate(Math.floor(size * part) - (part === 1 ? 1 : 0)), from)
      await expect(restore(name, target, [cut, '--identity', identity()])).rejects.toThrow(/cut|decrypted/)
    }
    await untouched()
  })

  test.each([0.02, 0.3, 0.7, 0.999])('from a file with one changed byte at %d of its length', async (part) => {
    for (const from of [backup(), join(folder, 'plain.tgz')]) {
      const altered = await changed(async (file, size) => {
        const at = Math.floor(size * part)
        const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at)
        await file.write(Buffer.of((buffer[0] ?? 0) ^ 1), 0, 1, at)
      }, from)
      await expect(restore(name, target, [altered, '--identity', identity()])).rejects.toThrow(/altered|decrypted/)
    }
    await untouched()
  })

  test('from a file that is not a backup, or does not exist', async () => {
    await expect(restore(name, target, [identity()])).rejects.toThrow(/is not a backup/)
    await expect(restore(name, target, [join(folder, 'missing')])).rejects.toThrow(/can’t be read \(ENOENT\)/)
    await untouched()
  })

  test('with another master key than that of the backup', async () => {
    const args = [backup(), '--identity', identity()]
    await expect(restore(name, target, args, { MASTER_KEY: masterKey })).rejects.toThrow(/MASTER_KEY is not the key/)
    await untouched()
  })

  test('into a folder or a database that is not empty', async () => {
    const args = [backup(), '--identity', identity()]
    await expect(restore('source', target, args)).rejects.toThrow(/source is not empty/)
    const filled = await testDatabase()
    await expect(restore(name, filled, args)).rejects.toThrow(/The database is not empty/)
    await filled.close()
    await untouched()
  })
})

test('a restore that is killed leaves nothing that starts, and is completed by running it again', async () => {
  const target = await ownedDatabase()
  const environment = { ...testEnvironment, ...settings('killed'), DATABASE_URL: target.ownerUrl }
  const command = [join(import.meta.dirname, '../../cli/restore.mjs'), backup(), '--identity', identity()]
  const start = () => spawn(process.execPath, command, { env: environment, cwd: folder, stdio: 'ignore' })
  const waits = (client: Client) =>
    until(async () => {
      const waiting = await client.query(
        `select from pg_locks where locktype = 'advisory' and not granted
        and objid = $1 and database = (select oid from pg_database where datname = current_database())`,
        [migrationLock],
      )
      return waiting.rowCount === 0 ? undefined : true
    }, 'a process that waits for the lock')
  const kill = async (child: ChildProcess) => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  try {
    await asSuperuser(target.ownerUrl, async (client) => {
      // Before the first row.
      await client.query('select pg_advisory_lock($1)', [migrationLock])
      const first = start()
      await waits(client)
      await kill(first)
      expect((await client.query(`select to_regclass('public.tenants') as found`)).rows[0].found).toBeNull()
      // After the last row, before the logs continue: the restore gives up the lock in between, and this session takes it.
      const second = start()
      await waits(client)
      await client.query('select pg_advisory_unlock($1)', [migrationLock])
      await until(async () => (await readdir(join(folder, 'killed'))).includes('master.key') || undefined, 'the key')
      await client.query('select pg_advisory_lock($1)', [migrationLock])
      await waits(client)
      await kill(second)
      const { rows } = await client.query(
        `select count(*)::int as rows, count(*) filter (where type = 'audit_log.restored')::int as restored from audit_records`,
      )
      expect(rows[0].rows).toBeGreaterThan(30)
      expect(rows[0].restored).toBe(0)
      await client.query('select pg_advisory_unlock($1)', [migrationLock])
    })
    const lines: string[] = []
    await expect(startProcess({ ...settings('killed'), DATABASE_URL: target.ownerUrl }, lines)).rejects.toThrow()
    expect(lines.join('')).toMatch(/a restore into .*killed was interrupted/)
    const said = await restore('killed', target, [backup(), '--identity', identity()])
    expect(said.filter((line) => line.includes(' verified, '))).toHaveLength(2)
    expect(await readdir(join(folder, 'killed'))).not.toContain('restore-unfinished.json')
  } finally {
    await target.close()
  }
}, 120_000)
