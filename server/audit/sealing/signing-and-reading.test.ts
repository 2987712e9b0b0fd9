import type { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { get } from '#server/audit/get.ts'
import { noteReader } from '#server/audit/notes/checkpoint-note.ts'
import { today } from '#server/audit/store.ts'
import { checkSeal } from '#server/audit/verifying/verify-day-seal.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { moveToPast } from '#server/testing/past-day.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { storedDay } from './read-day.ts'
import { sealClosedDays } from './seal-days.ts'
import { signDay } from './sign-day.ts'

// A reader must not see tampering while the signer works, whose memory is written before its transaction commits.

let running: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
let tenant: TestTenant
let auditor: Caller
let yesterday: string
let auditId: string
beforeAll(async () => {
  running = await testRuntime()
  owner = await connectAsOwner(running)
  const date = await running.database.inDirectory(today)
  yesterday = new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10)
})
afterAll(async () => {
  await owner.end()
  await running.close()
})

beforeEach(async () => {
  tenant = await testTenant(running)
  auditId = await inTenant((tx) =>
    appendAudit(tx, tenant, { actor: systemActor, action: 'test', resource: { type: 'x', id: newId() } }),
  )
  await moveToPast(running, tenant, yesterday)
  await inTenant((tx) => signDay(tx, tenant, yesterday))
  auditor = await tenant.as('vera', { roles: ['auditor'] })
})

const inTenant = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => running.database.inTenant(tenant.id, work)

/** Runs `read` while a signer has remembered that the day is sealed and has not committed. Commits once `read` waits for it. */
async function readWhileSealing<T>(read: () => Promise<T>): Promise<T> {
  const mayCommit = Promise.withResolvers<void>()
  const remembered = Promise.withResolvers<void>()
  const sealing = inTenant(async (tx) => {
    await sealClosedDays(tx, tenant)
    remembered.resolve()
    await mayCommit.promise
  })
  await Promise.race([remembered.promise, sealing])
  const reading = read()
  const waits = expect.poll(() => lockWaits(), { interval: 10, timeout: 20_000 }).toBeGreaterThan(0)
  try {
    await Promise.race([reading, waits])
  } finally {
    mayCommit.resolve()
    await sealing
  }
  await waits
  return await reading
}

async function lockWaits(): Promise<number> {
  const { rows } = await owner.query(
    `select from pg_locks where locktype = 'advisory' and not granted
     and database = (select oid from pg_database where datname = current_database())`,
  )
  return rows.length
}

test('audit.get shows the seal', async () => {
  const shown = await readWhileSealing(() => execute(get, auditor, { auditId }, { name: 'audit.get' }))
  expect(shown.sealLog).toMatchObject({ index: 0, treeSize: 1 })
})

test('the check of a record finds its day in the seal log', async () => {
  const checks = await readWhileSealing(() =>
    inTenant(async (tx) => checkSeal(tx, tenant, yesterday, await noteReader(tx, tenant))),
  )
  expect(checks).toMatchObject([{ name: 'sealLog', ok: true }])
})

test('the recurring check and archives read the sealed day', async () => {
  const day = await readWhileSealing(() => inTenant((tx) => storedDay(tx, tenant, yesterday)))
  expect(day).toMatchObject({ date: yesterday, open: false, seal: { tlogProof: expect.any(String) } })
})
