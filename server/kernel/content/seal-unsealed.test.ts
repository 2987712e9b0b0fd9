import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findEvents, findExecution, findSteps } from '#server/executions/store.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { migrate } from '#server/kernel/db/migrate.ts'
import { newId } from '#server/kernel/ids.ts'
import { tenantSealer } from '#server/kernel/keys/tenant-keys.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { type testRuntime as TestRuntime, testRuntime } from '#server/testing/tenant.ts'
import { sealUnsealed } from './seal-unsealed.ts'
import { contentContext, contentTables } from './tables.ts'

// A database that was used before content was encrypted: its owner is no superuser, so row-level security binds it, too.

const name = `cs_unsealed_${randomBytes(4).toString('hex')}`
const folder = new URL('../db/migrations/', import.meta.url)
const canary = 'kanarienvogel'

let around: Awaited<ReturnType<typeof TestRuntime>>
let server: Client
let owner: Client
let superuser: Client
let ownerUrl: string
beforeAll(async () => {
  around = await testRuntime()
  server = new Client({ connectionString: process.env.TEST_DATABASE_URL })
  await server.connect()
  await server.query(`create role ${name} login password 'secret' nosuperuser createrole`)
  await server.query(`create database ${name} owner ${name}`)
  const url = new URL(process.env.TEST_DATABASE_URL ?? '')
  Object.assign(url, { pathname: `/${name}`, username: name, password: 'secret' })
  ownerUrl = url.href
  superuser = new Client({
    connectionString: Object.assign(new URL(process.env.TEST_DATABASE_URL ?? ''), { pathname: `/${name}` }).href,
  })
  await superuser.connect()
  owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  await owner.query(`create table schema_migrations (
    name text primary key, sha256 text not null, applied_at timestamptz not null default now())`)
  for (const file of (await readdir(folder)).sort().filter((one) => one < '0024')) {
    const text = await readFile(new URL(file, folder), 'utf8')
    await owner.query(text)
    const sha256 = createHash('sha256').update(text).digest('hex')
    await owner.query('insert into schema_migrations (name, sha256) values ($1, $2)', [file, sha256])
  }
}, 120_000)
afterAll(async () => {
  await owner.end()
  await superuser.end()
  await around.close()
  await server.query(`drop database ${name} with (force)`)
  await server.query(`drop role if exists ${name}_app`)
  await server.query(`drop role ${name}`)
  await server.end()
})

/** What the files of these tables hold, as they lie on the disk. */
async function pages(tables: readonly string[]): Promise<Buffer> {
  await superuser.query('checkpoint')
  const parts: Buffer[] = []
  for (const table of tables) {
    const { rows } = await superuser.query<{ bytes: Buffer }>(
      `select pg_read_binary_file(pg_relation_filepath(c.oid)) as bytes from pg_class c
       where c.oid = $1::regclass or c.oid = (select reltoastrelid from pg_class where oid = $1::regclass and reltoastrelid <> 0)`,
      [table],
    )
    parts.push(...rows.map((row) => row.bytes))
  }
  return Buffer.concat(parts)
}

const long = `${canary} `.repeat(2000)
const rowsOf = [newId(), newId()].map((tenantId) => ({
  tenantId,
  executions: Array.from({ length: 230 }, newId),
}))

/** Rows as they were written before, without those that they refer to. */
async function insertBefore(): Promise<void> {
  await superuser.query('set session_replication_role = replica')
  for (const { tenantId, executions } of rowsOf) {
    await superuser.query(
      `insert into tenants (id, slug, external_id, name, display_name, branding) values ($1, $2, $2, 'x', 'x', '{}')`,
      [tenantId, `t-${tenantId.slice(-8)}`],
    )
    const fill = (text: string, values: unknown[]) => superuser.query(text, values)
    for (const [at, id] of executions.entries()) {
      const note = at === 0 ? long : `${canary} ${at}`
      await fill(
        `insert into executions (tenant_id, id, agent_id, release_id, environment, input, output, error, status, trace_id, started_by)
         values ($1, $2, $2, $2, 'production', $3, $4, $5, 'failed', 't', $2)`,
        [
          tenantId,
          id,
          { note, n: at },
          at % 2 === 0 ? null : JSON.stringify([note]),
          at === 1 ? null : { code: 'x', message: note },
        ],
      )
    }
    const [id = ''] = executions
    await fill(
      `insert into execution_steps (tenant_id, execution_id, step_id, status, arguments, output)
       values ($1, $2, 'one', 'succeeded', $3, $4), ($1, $2, 'two', 'skipped', null, null)`,
      [tenantId, id, { who: canary }, JSON.stringify(`answer ${canary}`)],
    )
    await fill(
      `insert into execution_events (tenant_id, execution_id, seq, type, step_id, data)
       values ($1, $2, 1, 'tool.called', 'one', $3), ($1, $2, 2, 'execution.parked', null, '{}')`,
      [tenantId, id, { who: canary }],
    )
  }
}

test('what lay in clear is sealed before anything is served, is read as before, and leaves no bytes behind', async () => {
  await insertBefore()
  expect((await pages(['executions', 'execution_steps', 'execution_events'])).includes(canary)).toBe(true)

  const appUrl = await migrate(ownerUrl)
  const database = openDatabase(appUrl, around.log)
  const { vault, ...rest } = around
  setRuntime({ ...rest, vault, database })
  // A start that dies in the middle: what it has committed is sealed, the rest waits.
  for (const { tenantId } of rowsOf)
    await superuser.query(
      `update unsealed set kind = 'nobody knows' where id = (select max(id::text)::uuid from unsealed where tenant_id = $1)`,
      [tenantId],
    )
  await expect(sealUnsealed(ownerUrl)).rejects.toThrow('Nobody knows how to seal a nobody knows')
  const left = async () => (await superuser.query('select 1 from unsealed')).rowCount ?? 0
  expect(await left()).toBeGreaterThan(0)
  expect(await left()).toBeLessThan(rowsOf.length * 232)
  await superuser.query(`update unsealed set kind = case when row_key ? 'seq' then 'execution_event'
    when row_key ? 'step_id' then 'execution_step' else 'execution' end`)
  // Two that start at once.
  const [one, two] = await Promise.all([sealUnsealed(ownerUrl), sealUnsealed(ownerUrl)])
  expect(one + two).toBeGreaterThan(0)
  expect(await left()).toBe(0)
  expect(await sealUnsealed(ownerUrl)).toBe(0)

  for (const { tenantId, executions } of rowsOf)
    await database.inTenant(tenantId, async (tx) => {
      const [id = '', second = '', third = ''] = executions
      expect(await findExecution(tx, tenantId, id)).toBeUndefined()
      const sealer = await tenantSealer(tx, tenantId)
      const read = async (execution: string) => {
        const row = await tx
          .selectFrom('executions')
          .select(['input', 'output', 'error'])
          .where('id', '=', execution)
          .executeTakeFirstOrThrow()
        return Object.fromEntries(
          Object.entries(row).map(([column, sealed]) => [
            column,
            sealed === null ? null : sealer.openJson(sealed, contentContext('executions', [execution], column)),
          ]),
        )
      }
      expect(await read(id)).toEqual({ input: { note: long, n: 0 }, output: null, error: { code: 'x', message: long } })
      expect(await read(second)).toEqual({ input: { note: `${canary} 1`, n: 1 }, output: [`${canary} 1`], error: null })
      expect(await read(third)).toMatchObject({ input: { n: 2 }, output: null })
      const steps = await findSteps(tx, tenantId, id)
      expect(steps.sort((a, b) => (a.stepId < b.stepId ? -1 : 1))).toMatchObject([
        { stepId: 'one', arguments: { who: canary }, output: `answer ${canary}` },
        { stepId: 'two', arguments: null, output: null },
      ])
      expect(await findEvents(tx, tenantId, id, 0, 10)).toMatchObject([
        { type: 'tool.called', data: { who: canary } },
        { type: 'execution.parked', data: {} },
      ])
    })
  expect((await pages([...contentTables.map(({ table }) => table), 'unsealed'])).includes(canary)).toBe(false)
  await database.close()
  setRuntime(around)
}, 120_000)
