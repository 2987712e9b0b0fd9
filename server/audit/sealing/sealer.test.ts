// Longer than other files: one log, whose days the cases close one after the other.
import { createHash } from 'node:crypto'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkpoint } from '#server/audit/checkpoint.ts'
import { noteReader } from '#server/audit/notes/checkpoint-note.ts'
import { parseCheckpoint, parseNote, verifyNote } from '#server/audit/notes/signed-note.ts'
import { sealStateOf } from '#server/audit/seal-state.ts'
import { findLeaves, listDaysToSign, today } from '#server/audit/store.ts'
import { leafHash, treeRoot, verifyConsistency } from '#server/audit/tree/merkle.ts'
import { consistencyAt } from '#server/audit/tree/tree.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { asOwner, connectAsOwner } from '#server/testing/owner.ts'
import { moveToPast } from '#server/testing/past-day.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { sealLog } from './log-name.ts'
import { sealClosedDays } from './seal-days.ts'
import { findLatestSealCheckpoint, listSeals } from './seal-store.ts'
import { startSealer } from './sealer.ts'
import { signDay } from './sign-day.ts'
import { signTenant } from './sign-tenant.ts'

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

async function leavesOf(tenant: TestTenant, size: number): Promise<Buffer[]> {
  const leaves = await runtime.database.inTenant(tenant.id, (tx) => findLeaves(tx, tenant.id, date, 0, size))
  if (leaves === undefined) throw new Error('A record is missing.')
  return Array.from({ length: size }, (_, at) => leaves.subarray(32 * at, 32 * at + 32))
}

const daysAgo = (days: number) => new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10)

/** Moves all records of the tenant, which was never signed, to an earlier day. */
async function toPast(tenant: TestTenant, days = 2): Promise<string> {
  const past = daysAgo(days)
  await moveToPast(runtime, tenant, past)
  return past
}

describe('signing a day', () => {
  test('signs the stored records, once for each size', async () => {
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
    const leaves = await leavesOf(tenant, shown.size)
    expect(shown).toMatchObject({ date, records: shown.size, merkleRoot: treeRoot(leaves).toString('hex') })
    const note = verifyNote(shown.checkpoint ?? '', [shown.verifierKey])
    expect(note.ok && parseCheckpoint(note.text)).toEqual({
      origin: `localhost:3000/t/${tenant.externalId}/audit/${date}`,
      size: shown.size,
      root: Buffer.from(shown.merkleRoot ?? '', 'hex'),
    })
  })

  test('in several processes concurrently creates one checkpoint', async () => {
    const tenant = await testTenant(runtime)
    await log(tenant, 5)
    await Promise.all(Array.from({ length: 6 }, () => sign(tenant)))
    expect(await checkpoints(tenant)).toHaveLength(1)
  })

  test('while records are being written never covers a missing one', async () => {
    const tenant = await testTenant(runtime)
    await Promise.all(Array.from({ length: 10 }, () => log(tenant).then(() => sign(tenant))))
    for (const { size, root } of await checkpoints(tenant)) expect(treeRoot(await leavesOf(tenant, size))).toEqual(root)
  })

  test('closes a day that is over, once, and accepts no more records for it', async () => {
    const tenant = await testTenant(runtime)
    const past = await toPast(tenant)
    await Promise.all([sign(tenant, past), sign(tenant, past), signTenant(tenant.id)])
    const { sealedAt, size } = await dayOf(tenant, past)
    expect(sealedAt).toBeInstanceOf(Date)
    expect((await checkpoints(tenant, past)).map((made) => made.size)).toEqual([size])
    await sign(tenant, past)
    expect((await dayOf(tenant, past)).sealedAt).toEqual(sealedAt)
  })
})

describe('the seal log', () => {
  const seals = (tenant: TestTenant) =>
    runtime.database.inTenant(tenant.id, async (tx) => ({
      leaves: await listSeals(tx, tenant.id, 0, 1000),
      last: await findLatestSealCheckpoint(tx, tenant.id),
    }))
  const read = (tenant: TestTenant, note: string) =>
    runtime.database.inTenant(tenant.id, async (tx) => (await noteReader(tx, tenant))(sealLog, note))

  test('contains each closed day once, including days without records', async () => {
    const tenant = await testTenant(runtime)
    const past = await toPast(tenant)
    await log(tenant, 2)
    await Promise.all([signTenant(tenant.id), signTenant(tenant.id), signTenant(tenant.id)])
    await signTenant(tenant.id)
    const { leaves, last } = await seals(tenant)
    expect(leaves.map(({ seq, date }) => [seq, date])).toEqual([
      [0, past],
      [1, daysAgo(1)],
    ])
    const [closed, empty] = await Promise.all([checkpoints(tenant, past), checkpoints(tenant, daysAgo(1))])
    expect(leaves.map((leaf) => leaf.entry)).toEqual([...closed, ...empty].map(({ note }) => parseNote(note).text))
    expect(empty).toMatchObject([{ size: 0, root: createHash('sha256').digest() }])
    const hashes = leaves.map(({ entry }) => leafHash(Buffer.from(entry)))
    expect(last).toMatchObject({ size: 2, root: treeRoot(hashes) })
    expect(await read(tenant, last?.note ?? '')).toMatchObject({ ok: true, checkpoint: { size: 2 } })

    const caller = await tenant.as('tom')
    const lastClosed = async (before: string | undefined) =>
      (await execute(checkpoint, caller, { date: before }, { name: 'audit.checkpoint' })).lastClosed
    expect(await lastClosed(undefined)).toMatchObject({ date: daysAgo(1), size: 0, inSealLog: true })
    expect(await lastClosed(daysAgo(1))).toMatchObject({
      date: past,
      size: closed[0]?.size,
      merkleRoot: closed[0]?.root.toString('hex'),
    })
    expect(await lastClosed(past)).toBeNull()
  })

  test('is consistent: each size is a prefix of each later one', async () => {
    const tenant = await testTenant(runtime)
    const sizes: { size: number; root: Buffer }[] = []
    for (const days of [5, 3, 2]) {
      // As time passes: the following days have not been closed yet.
      await asOwner(
        runtime,
        `insert into audit_days (tenant_id, date, size) select $1, day::date, 0
         from generate_series(coalesce((select max(date) + 1 from audit_seals where tenant_id = $1), $2::date - 2), $2::date, interval '1 day') day`,
        [tenant.id, daysAgo(days)],
      )
      await runtime.database.inTenant(tenant.id, async (tx) => {
        for (const { date: day } of await listDaysToSign(tx, tenant.id)) await signDay(tx, tenant, day)
        await sealClosedDays(tx, tenant)
      })
      const { last } = await seals(tenant)
      if (last !== undefined) sizes.push(last)
    }
    expect(sizes.map(({ size }) => size)).toEqual([3, 5, 6])
    for (const [at, one] of sizes.entries())
      for (const other of sizes.slice(at)) {
        const proof = await runtime.database.inTenant(tenant.id, (tx) =>
          consistencyAt(tx, { tenantId: tenant.id, name: sealLog }, one.size, other.size),
        )
        expect(
          verifyConsistency({
            size1: one.size,
            root1: one.root,
            size2: other.size,
            root2: other.root,
            proof: proof ?? [],
          }),
        ).toBe(true)
      }
  })

  const changes: [string, string][] = [
    ['with a day less', `delete from audit_seals where tenant_id = $1 and seq = 1`],
    ['with another day in it', `update audit_seals set entry = 'x' where tenant_id = $1 and seq = 0`],
    ['with its last checkpoint gone', `delete from audit_seal_checkpoints where tenant_id = $1`],
    ['with another root', `update audit_seal_checkpoints set root = sha256('x') where tenant_id = $1`],
    [
      'with other hashes',
      `update audit_tiles set hashes = sha256('x') || sha256('y') where tenant_id = $1 and log = 'seals'`,
    ],
  ]
  test.each(changes)('is not signed %s', async (_name, change) => {
    const tenant = await twoSealed()
    await asOwner(runtime, change, [tenant.id])
    await expect(oneMore(tenant)).rejects.toMatchObject({ name: 'LogRefused' })
  })

  test('is signed again when nothing was changed', async () => {
    const tenant = await twoSealed()
    await oneMore(tenant)
    expect((await seals(tenant)).last).toMatchObject({ size: 3 })
  })
})

/** A tenant whose seal log has its first two days. */
async function twoSealed(): Promise<TestTenant> {
  const tenant = await testTenant(runtime)
  await sealDay(tenant, await toPast(tenant, 5))
  await oneMore(tenant, 4)
  return tenant
}

/** Closes one more day and takes it into the seal log. */
async function oneMore(tenant: TestTenant, days = 3): Promise<void> {
  await asOwner(runtime, 'insert into audit_days (tenant_id, date, size) values ($1, $2, 0)', [
    tenant.id,
    daysAgo(days),
  ])
  await sealDay(tenant, daysAgo(days))
}

async function sealDay(tenant: TestTenant, day: string): Promise<void> {
  await sign(tenant, day)
  await runtime.database.inTenant(tenant.id, (tx) => sealClosedDays(tx, tenant))
}

describe('the signer’s memory outside the database', () => {
  /** Puts back the tenant's log as it was, as a backup does. */
  const restore = async (tenant: TestTenant, records: number) => {
    for (const table of ['audit_cosignatures', 'audit_seals', 'audit_seal_checkpoints', 'audit_tiles', 'audit_trees'])
      await owner(`delete from ${table} where tenant_id = '${tenant.id}'`)
    await owner(`delete from audit_records where tenant_id = '${tenant.id}' and seq >= ${records}`)
    await owner(`delete from audit_checkpoints where tenant_id = '${tenant.id}'`)
    await owner(
      `update audit_days set size = ${records}, sealed_at = null where tenant_id = '${tenant.id}' and size > 0`,
    )
  }
  const owner = async (statement: string) => {
    const client = await connectAsOwner(runtime)
    await client.query(statement)
    await client.end()
  }

  test('prevent it from signing a day that has shrunk, and one that has grown again', async () => {
    const tenant = await testTenant(runtime)
    await log(tenant, 4)
    await sign(tenant)
    const [signed] = await checkpoints(tenant)
    await restore(tenant, 2)
    await expect(sign(tenant)).rejects.toThrow(/signer’s memory/)
    await log(tenant, signed?.size ?? 0)
    await expect(sign(tenant)).rejects.toThrow(/signer’s memory/)
    expect(await checkpoints(tenant)).toEqual([])
  })

  test('let it continue if the same records are stored', async () => {
    const tenant = await testTenant(runtime)
    await log(tenant, 4)
    await sign(tenant)
    const [signed] = await checkpoints(tenant)
    await restore(tenant, signed?.size ?? 0)
    await log(tenant, 1)
    await sign(tenant)
    expect(await checkpoints(tenant)).toMatchObject([{ size: (signed?.size ?? 0) + 1 }])
  })

  test('prevent it from signing a seal log that has shrunk or was replaced', async () => {
    const tenant = await testTenant(runtime)
    await toPast(tenant)
    await signTenant(tenant.id)
    await restore(tenant, 1)
    await signTenant(tenant.id)
    const sealed = await runtime.database.inTenant(tenant.id, (tx) => findLatestSealCheckpoint(tx, tenant.id))
    expect(sealed).toBeUndefined()
  })
})

describe('the sealer refuses to sign', () => {
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
    // The sealer reports it and continues with the others.
    await signTenant(tenant.id)
    expect((await checkpoints(tenant)).map((made) => made.size)).toEqual(before.map((made) => made.size))
  })
})

test('the sealer covers a record within seconds of its commit, and records from before its start', async () => {
  const [early, late] = [await testTenant(runtime), await testTenant(runtime)]
  const state = (tenant: TestTenant, id: string) =>
    runtime.database.inTenant(tenant.id, (tx) => sealStateOf(tx, tenant.id, id))
  const [before = ''] = await log(early)
  expect(await state(early, before)).toBe('pending')
  const sealers = [startSealer(), startSealer()]
  await expect.poll(() => state(early, before)).toBe('sealed')
  const [after = ''] = await log(late)
  await expect.poll(() => state(late, after)).toBe('sealed')
  expect(await state(early, after)).toBe('none')
  await Promise.all(sealers.map((sealer) => sealer.close()))
  const [unseen = ''] = await log(late)
  expect(await state(late, unseen)).toBe('pending')
})

test('a record is signed while a round waits for another tenant’s log', async () => {
  const tenants = [await testTenant(runtime), await testTenant(runtime)]
  const [held, prompt] = tenants.sort((a, b) => (a.id < b.id ? -1 : 1)) as [TestTenant, TestTenant]
  await log(held)
  const holder = await connectAsOwner(runtime)
  await holder.query('begin')
  await holder.query("select pg_advisory_xact_lock(hashtextextended('audit signer' || E'\\n' || $1::text, 0))", [
    held.id,
  ])
  const sealer = startSealer()
  try {
    await expect.poll(() => waitingFor(holder)).toBe(1)
    // It is waited for as a tenant with new records, too.
    await log(held)
    await expect.poll(() => waitingFor(holder)).toBe(2)
    const [record = ''] = await log(prompt)
    const state = () => runtime.database.inTenant(prompt.id, (tx) => sealStateOf(tx, prompt.id, record))
    await expect.poll(state).toBe('sealed')
    expect(await waitingFor(holder)).toBe(2)
  } finally {
    await holder.end()
    await sealer.close()
  }
})

/** How many sessions wait for an advisory lock that this connection holds. */
async function waitingFor(holder: Client): Promise<number> {
  const { rows } = await holder.query<{ count: number }>(
    `select count(*)::int as count from pg_locks held join pg_locks asked using (locktype, database, classid, objid, objsubid)
     where held.pid = pg_backend_pid() and held.granted and not asked.granted and held.locktype = 'advisory'`,
  )
  return rows[0]?.count ?? 0
}
