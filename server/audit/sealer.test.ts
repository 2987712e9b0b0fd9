import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { asOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { checkpoint } from './checkpoint.ts'
import { treeRoot } from './merkle.ts'
import { sealStateOf } from './seal-state.ts'
import { signTenant, startSealer } from './sealer.ts'
import { signDay } from './sign-day.ts'
import { parseCheckpoint, verifyNote } from './signed-note.ts'
import { findLeaves, today } from './store.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
let date: string
beforeAll(async () => {
  runtime = await testRuntime()
  date = await runtime.database.inDirectory(today)
})
afterAll(() => runtime.close())

const log = (tenant: TestTenant, count = 1) =>
  runtime.database.inTenant(tenant.id, async (tx) => {
    const ids = []
    for (let index = 0; index < count; index++)
      ids.push(
        await appendAudit(tx, tenant, { actor: systemActor, action: 'test', resource: { type: 'x', id: newId() } }),
      )
    return ids
  })

const sign = (tenant: TestTenant, day = date) => runtime.database.inTenant(tenant.id, (tx) => signDay(tx, tenant, day))

const checkpoints = (tenant: TestTenant, day = date) =>
  runtime.database.inTenant(tenant.id, (tx) =>
    tx
      .selectFrom('auditCheckpoints')
      .select(['size', 'root', 'note'])
      .where('tenantId', '=', tenant.id)
      .where('date', '=', day)
      .orderBy('size')
      .execute(),
  )
const dayOf = (tenant: TestTenant, day: string) =>
  runtime.database.inTenant(tenant.id, (tx) =>
    tx.selectFrom('auditDays').selectAll().where('date', '=', day).executeTakeFirstOrThrow(),
  )

/** Moves all records of the tenant to a day that is over, with the leaf hashes that they would have there. */
async function moveToPast(tenant: TestTenant): Promise<string> {
  const past = '2026-01-02'
  await asOwner(runtime, `update audit_records set date = '${past}' where tenant_id = '${tenant.id}'`)
  await asOwner(runtime, `update audit_days set date = '${past}' where tenant_id = '${tenant.id}'`)
  return past
}

describe('signing a day', () => {
  test('signs what is there, once for each size', async () => {
    const tenant = await testTenant(runtime)
    await sign(tenant)
    await sign(tenant)
    await log(tenant, 3)
    await sign(tenant)
    const made = await checkpoints(tenant)
    expect(made).toHaveLength(2)
    const [first, second] = made
    expect(second?.size).toBe((first?.size ?? 0) + 3)

    const caller = await tenant.as('tom')
    await sign(tenant)
    const shown = await execute(checkpoint, caller, {}, { name: 'audit.checkpoint' })
    const leaves = await runtime.database.inTenant(tenant.id, (tx) => findLeaves(tx, tenant.id, date, shown.size))
    expect(shown).toMatchObject({ date, records: shown.size, merkleRoot: treeRoot(leaves ?? []).toString('hex') })
    const note = verifyNote(shown.checkpoint ?? '', [shown.verifierKey])
    expect(note.ok && parseCheckpoint(note.text)).toEqual({
      origin: `localhost:3000/t/${tenant.externalId}/audit/${date}`,
      size: shown.size,
      root: Buffer.from(shown.merkleRoot ?? '', 'hex'),
    })
  })

  test('in several processes at once makes one checkpoint', async () => {
    const tenant = await testTenant(runtime)
    await log(tenant, 5)
    await Promise.all(Array.from({ length: 6 }, () => sign(tenant)))
    expect(await checkpoints(tenant)).toHaveLength(1)
  })

  test('while records are being written never covers one that is not there', async () => {
    const tenant = await testTenant(runtime)
    await Promise.all(Array.from({ length: 10 }, () => log(tenant).then(() => sign(tenant))))
    for (const { size, root } of await checkpoints(tenant)) {
      const leaves = await runtime.database.inTenant(tenant.id, (tx) => findLeaves(tx, tenant.id, date, size))
      expect(treeRoot(leaves ?? [])).toEqual(root)
    }
  })

  test('closes a day that is over, once, and takes no more records into it', async () => {
    const tenant = await testTenant(runtime)
    const past = await moveToPast(tenant)
    await Promise.all([sign(tenant, past), sign(tenant, past), signTenant(tenant.id)])
    const { sealedAt, size } = await dayOf(tenant, past)
    expect(sealedAt).toBeInstanceOf(Date)
    expect((await checkpoints(tenant, past)).map((made) => made.size)).toEqual([size])
    await sign(tenant, past)
    expect((await dayOf(tenant, past)).sealedAt).toEqual(sealedAt)
  })
})

describe('refuses to sign', () => {
  const changes: [string, (tenant: TestTenant) => Promise<void>][] = [
    [
      'a log that has lost its last records',
      async ({ id }) => {
        await asOwner(runtime, `delete from audit_records where tenant_id = '${id}' and seq >= 3`)
        await asOwner(runtime, `update audit_days set size = 3 where tenant_id = '${id}'`)
      },
    ],
    [
      'a log with a gap',
      ({ id }) => asOwner(runtime, `delete from audit_records where tenant_id = '${id}' and seq = 1`),
    ],
    [
      'a log whose signed part was changed',
      ({ id }) =>
        asOwner(runtime, `update audit_records set leaf_hash = sha256('x') where tenant_id = '${id}' and seq = 1`),
    ],
    [
      'after a checkpoint that was changed',
      ({ id }) =>
        asOwner(runtime, `update audit_checkpoints set note = replace(note, E'\\n', ' ') where tenant_id = '${id}'`),
    ],
  ]
  test.each(changes)('%s', async (_name, change) => {
    const tenant = await testTenant(runtime)
    await log(tenant, 3)
    await sign(tenant)
    const before = await checkpoints(tenant)
    await change(tenant)
    await log(tenant)
    await expect(sign(tenant)).rejects.toMatchObject({ name: 'LogRefused' })
    // The sealer reports it and goes on with others.
    await signTenant(tenant.id)
    expect((await checkpoints(tenant)).map((made) => made.size)).toEqual(before.map((made) => made.size))
  })
})

test('the sealer covers a record within seconds of its commit, and what was there before it started', async () => {
  const [early, late] = [await testTenant(runtime), await testTenant(runtime)]
  const state = (tenant: TestTenant, id: string) =>
    runtime.database.inTenant(tenant.id, (tx) => sealStateOf(tx, tenant.id, id))
  const [before = ''] = await log(early)
  expect(await state(early, before)).toBe('pending')
  const sealers = [startSealer(), startSealer()]
  await expect.poll(() => state(early, before), { timeout: 5000 }).toBe('sealed')
  const [after = ''] = await log(late)
  await expect.poll(() => state(late, after), { timeout: 5000 }).toBe('sealed')
  expect(await state(early, after)).toBe('none')
  await Promise.all(sealers.map((sealer) => sealer.close()))
  const [unseen = ''] = await log(late)
  expect(await state(late, unseen)).toBe('pending')
})
