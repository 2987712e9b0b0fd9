import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Presentation } from '#lib/schemas/approvals.ts'
import { payloadDigestOf } from '#server/approvals/payload-digest.ts'
import { spendApproval } from '#server/approvals/spend.ts'
import { findApproval } from '#server/approvals/store.ts'
import { findEvents } from '#server/executions/event-store.ts'
import { findExecution, findExecutionByKey, findSteps } from '#server/executions/state/store.ts'
import { findFiles } from '#server/files/store.ts'
import { findEventByIdentity } from '#server/inputs/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { migrate } from '#server/kernel/db/migrate.ts'
import { findAnswer } from '#server/kernel/idempotency-store.ts'
import { newId } from '#server/kernel/ids.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { findMail } from '#server/mail/store.ts'
import { findDecision } from '#server/policies/decisions/decision-store.ts'
import { type testRuntime as TestRuntime, testRuntime } from '#server/testing/tenant.ts'
import { encryptPlaintext } from './encrypt-plaintext.ts'
import { contentContext, contentTables } from './tables.ts'

// A database from before content was encrypted. Its owner is not a superuser, so row-level security applies to the
// owner, too.

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
  for (const role of ['server', 'keeper']) await server.query(`drop role if exists ${name}_${role}`)
  await server.query(`drop role ${name}`)
  await server.end()
})

/** The bytes of these tables' files on disk. */
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

/** Rows as earlier versions wrote them, without the rows that they refer to. */
async function insertBefore(): Promise<void> {
  await superuser.query(`do $$ declare one record; begin
    for one in select conrelid::regclass as owner, conname from pg_constraint where contype = 'f' loop
      execute format('alter table %s drop constraint %I', one.owner, one.conname);
    end loop;
  end $$`)
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
    await insertRest(tenantId, id)
  }
}

/** One row in each of the other tables; all have the execution's id. */
async function insertRest(tenantId: string, id: string): Promise<void> {
  const fill = (text: string, ...values: unknown[]) => superuser.query(text, [tenantId, id, ...values])
  await fill(`update executions set idempotency_key = $3 where tenant_id = $1 and id = $2`, `${canary}-key`)
  await fill(
    `insert into approvals (tenant_id, id, kind, subject_id, status, payload, payload_digest, presentation, requested_by,
       identities, group_id, quorum, expires_at)
     values ($1, $2, 'tool_call', $2, 'approved', $3, $4, $5, $2, '[]', $2, 1, now())`,
    approved,
    payloadDigestOf(approved),
    presentation,
  )
  await fill(
    `insert into policy_decisions (tenant_id, id, agent_id, environment, action, resource, effect, obligations, reasons,
       policies, request, input_digest) values ($1, $2, $2, 'production', 'x', 'x', 'allow', '[]', '[]', '[]', $3, 'x')`,
    { arguments: { who: canary } },
  )
  await fill(
    `insert into input_events (tenant_id, id, identity, fingerprint, idempotency_key, source, event_id, type, subject,
       execution_id, input_name, data, status, submitted_by, expires_at)
     values ($1, $2, 'the identity', 'x', null, $3, '7', 't', $3, $2, 'go', $4, 'received', $2, now())`,
    canary,
    JSON.stringify(canary),
  )
  await fill(
    `insert into input_resolutions (tenant_id, id, wait_id, channel, recipient, delivery, application)
     values ($1, $2, $2, 'mail', $3, 'failed', 'not_applied')`,
    canary,
  )
  await fill(
    `insert into mails (tenant_id, id, kind, subject_id, recipient, subject, body, delivery)
     values ($1, $2, 'approval_request', $2, $3, $3, $3, 'failed')`,
    canary,
  )
  await fill(
    `insert into files (tenant_id, id, sha256, bytes, name, media_type, created_by)
     values ($1, $2, $4, 1, $3, 'text/plain', $2)`,
    canary,
    'a'.repeat(64),
  )
  await fill(
    `insert into idempotency_keys (tenant_id, member_id, operation, key, fingerprint, response)
     values ($1, $2, 'secrets.create', $3, 'sha256:abc', $4)`,
    `${canary}-key`,
    { who: canary },
  )
}

async function readRest(tx: Transaction, tenantId: string, id: string): Promise<void> {
  expect(await findExecutionByKey(tx, tenantId, id, `${canary}-key`)).toMatchObject({ id, input: { n: 0 } })
  expect(await findApproval(tx, tenantId, id)).toMatchObject({ presentation: { title: canary } })
  expect(await findDecision(tx, tenantId, id)).toMatchObject({ request: { arguments: { who: canary } } })
  const attributes = { idempotencyKey: null, source: canary, id: '7', type: 't', subject: canary }
  expect(await findEventByIdentity(tx, tenantId, 'the identity')).toMatchObject({ id, attributes })
  expect(await findMail(tx, tenantId, id)).toMatchObject({ recipient: canary, subject: canary, body: canary })
  expect(await findFiles(tx, tenantId, [id])).toMatchObject([{ name: canary }])
  const address = { tenantId, memberId: id, operation: 'secrets.create', key: `${canary}-key` }
  expect(await findAnswer(tx, address, 'sha256:abc')).toEqual({ same: true, gone: false, response: { who: canary } })
  expect(await findAnswer(tx, address, 'sha256:abd')).toMatchObject({ same: false })
  // An approval from before salts were introduced can still be used once.
  expect(await spendApproval(tx, tenantId, id, { ...approved, arguments: {} })).toBe(false)
  expect(await spendApproval(tx, tenantId, id, approved)).toBe(true)
}

const approved = { action: 'x', arguments: { who: canary } }
const presentation: Presentation = {
  title: canary,
  effectLabel: 'x',
  verb: 'x',
  effects: [],
  onReject: 'x',
  onExpiry: 'x',
  onEscalate: 'x',
  reversible: true,
  irreversibleNote: null,
  risk: 'low',
  action: 'x',
  resource: 'x',
  environment: null,
  arguments: [],
  agent: null,
  policy: null,
  executionId: null,
  traceId: null,
  position: null,
  subject: null,
}

test('plaintext is encrypted before anything is served, stays readable, and leaves no bytes on disk', async () => {
  await insertBefore()
  expect((await pages(['executions', 'execution_steps', 'execution_events'])).includes(canary)).toBe(true)

  const appUrl = await migrate(ownerUrl)
  const database = openDatabase(appUrl, around.log)
  const { vault, ...rest } = around
  setRuntime({ ...rest, vault, database })
  // A startup that dies in the middle: what it committed is encrypted, the rest remains.
  for (const { tenantId } of rowsOf)
    await superuser.query(
      `update unsealed set kind = 'unknown' where id = (select max(id::text)::uuid from unsealed where tenant_id = $1)`,
      [tenantId],
    )
  await expect(encryptPlaintext(ownerUrl)).rejects.toThrow('No content table has the kind unknown.')
  const left = async () => (await superuser.query('select 1 from unsealed')).rowCount ?? 0
  expect(await left()).toBeGreaterThan(0)
  expect(await left()).toBeLessThan(rowsOf.length * 232)
  await superuser.query(`update unsealed set kind = case when row_values ? 'message' then 'mail' when row_values ? 'name' then 'file'
    when row_values ? 'recipient' then 'input_resolution' when row_values ? 'response' then 'idempotency_key'
    when row_values ? 'payload' then 'approval' when row_values ? 'request' then 'policy_decision'
    when row_values ? 'identity' then 'input_event' when row_key ? 'seq' then 'execution_event'
    when row_key ? 'step_id' then 'execution_step' else 'execution' end`)
  // Two processes that start concurrently.
  const [one, two] = await Promise.all([encryptPlaintext(ownerUrl), encryptPlaintext(ownerUrl)])
  expect(one + two).toBeGreaterThan(0)
  expect(await left()).toBe(0)
  expect(await encryptPlaintext(ownerUrl)).toBe(0)

  for (const { tenantId, executions } of rowsOf)
    await database.inTenant(tenantId, async (tx) => {
      const [id = '', second = '', third = ''] = executions
      expect(await findExecution(tx, tenantId, id)).toBeUndefined()
      const cipher = await tenantCipher(tx, tenantId)
      const read = async (execution: string) => {
        const row = await tx
          .selectFrom('executions')
          .select(['input', 'output', 'error'])
          .where('id', '=', execution)
          .executeTakeFirstOrThrow()
        return Object.fromEntries(
          Object.entries(row).map(([column, encrypted]) => [
            column,
            encrypted === null
              ? null
              : cipher.decryptJson(encrypted, contentContext('executions', [execution], column)),
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
      await readRest(tx, tenantId, id)
    })
  expect((await pages([...contentTables.map(({ table }) => table), 'unsealed'])).includes(canary)).toBe(false)
  await database.close()
  setRuntime(around)
}, 120_000)
