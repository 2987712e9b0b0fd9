import { generateKeyPairSync } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ApiError } from '#lib/errors.ts'
import { get } from '#server/audit/get.ts'
import { formatCheckpoint, signNote } from '#server/audit/notes/signed-note.ts'
import { today } from '#server/audit/store.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { exportRuntime } from '#server/testing/exports.ts'
import { insertForged, rewriteRecord } from '#server/testing/forge-record.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { moveToPast } from '#server/testing/past-day.ts'
import type { TestTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { verify } from '#server/traces/verify.ts'
import { recheckTenant } from './recheck.ts'
import { signTenant } from './sign-tenant.ts'
import { SigningWaits } from './signing-waits.ts'

// The owner of the database, without a key, changes closed days, inserts records and deletes what contradicts them. The service
// must not sign, seal, verify or export the result, and must raise the alarm: in this process, after a restart, and on a second
// node.

let running: Awaited<ReturnType<typeof exportRuntime>>
let owner: Client
let date: string
let past: string
beforeAll(async () => {
  running = await exportRuntime()
  owner = await connectAsOwner(running)
  date = await running.database.inDirectory(today)
  past = daysAgo(2)
})
afterAll(async () => {
  await owner.end()
  await running.close()
})

const daysAgo = (days: number) => new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10)

type Case = { tenant: TestTenant; ids: string[] }

/** A tenant with a sealed day of records, an empty sealed day, and a signed record of today. `ids` of the sealed day. */
async function signedTenant(): Promise<Case> {
  const tenant = await running.tenant()
  const append = (count: number) =>
    running.database.inTenant(tenant.id, async (tx) => {
      const made: string[] = []
      for (let index = 0; index < count; index++)
        made.push(
          await appendAudit(tx, tenant, {
            actor: systemActor,
            action: 'refund.approved',
            resource: { type: 'approval', id: newId() },
            reason: 'It is due.',
          }),
        )
      return made
    })
  const ids = await append(5)
  await moveToPast(running, tenant, past)
  await append(1)
  await signTenant(tenant.id)
  return { tenant, ids }
}

const forgetDay = async ({ id }: TestTenant, day: string) => {
  await owner.query('delete from audit_checkpoints where tenant_id = $1 and date = $2', [id, day])
  await owner.query('delete from audit_trees where tenant_id = $1 and log = $2', [id, day])
  await owner.query('delete from audit_tiles where tenant_id = $1 and log = $2', [id, day])
  await owner.query('update audit_days set sealed_at = null, mac = null where tenant_id = $1 and date = $2', [id, day])
}

const forgetSeals = async ({ id }: TestTenant) => {
  for (const table of ['audit_seal_checkpoints', 'audit_seals'])
    await owner.query(`delete from ${table} where tenant_id = $1`, [id])
  for (const table of ['audit_trees', 'audit_tiles'])
    await owner.query(`delete from ${table} where tenant_id = $1 and log = 'seals'`, [id])
}

/** `forged`: the record that must not verify, and the day that must not be signed. */
type Attack = (one: Case) => Promise<{ auditId: string; day: string }>

const attacks: [what: string, attack: Attack][] = [
  [
    'a rewritten record of a sealed day, whose entry in the seal log was moved to another date',
    async ({ tenant, ids: [, auditId = ''] }) => {
      await rewriteRecord(owner, tenant, await placeOf(auditId), 'It was never due.')
      await forgetDay(tenant, past)
      await owner.query(`insert into audit_days (tenant_id, date, size) values ($1, '2001-01-01', 0)`, [tenant.id])
      await owner.query(`update audit_seals set date = '2001-01-01' where tenant_id = $1 and date = $2`, [
        tenant.id,
        past,
      ])
      return { auditId, day: past }
    },
  ],
  [
    'a checkpoint of a sealed day whose signed note was overwritten with other text',
    async ({ tenant, ids: [, auditId = ''] }) => {
      await owner.query(`update audit_checkpoints set note = 'x' where tenant_id = $1 and date = $2`, [tenant.id, past])
      return { auditId, day: past }
    },
  ],
  [
    'a rewritten record of a sealed day, whose entry in the seal log was deleted',
    async ({ tenant, ids: [, auditId = ''] }) => {
      await rewriteRecord(owner, tenant, await placeOf(auditId), 'It was never due.')
      await forgetDay(tenant, past)
      await owner.query('delete from audit_seals where tenant_id = $1 and date = $2', [tenant.id, past])
      return { auditId, day: past }
    },
  ],
  [
    'a rewritten record of a sealed day, whose entry in the seal log was kept',
    async ({ tenant, ids: [, auditId = ''] }) => {
      await rewriteRecord(owner, tenant, await placeOf(auditId), 'It was never due.')
      await forgetDay(tenant, past)
      return { auditId, day: past }
    },
  ],
  [
    'a rewritten record after the whole seal log was deleted',
    async ({ tenant, ids: [, auditId = ''] }) => {
      await rewriteRecord(owner, tenant, await placeOf(auditId), 'It was never due.')
      await forgetSeals(tenant)
      for (const day of [past, daysAgo(1)]) await forgetDay(tenant, day)
      return { auditId, day: past }
    },
  ],
  [
    'a sealed day that was deleted whole',
    async ({ tenant, ids: [, auditId = ''] }) => {
      await owner.query('delete from audit_seals where tenant_id = $1 and date = $2', [tenant.id, past])
      await forgetDay(tenant, past)
      for (const table of ['audit_records', 'audit_days'])
        await owner.query(`delete from ${table} where tenant_id = $1 and date = $2`, [tenant.id, past])
      return { auditId, day: past }
    },
  ],
  [
    'an inserted record of today',
    async ({ tenant }) => ({ auditId: await insertForged(owner, tenant, { date }), day: date }),
  ],
  [
    'an inserted record with the mac of another one',
    async ({ tenant, ids: [id] }) => {
      const { rows } = await owner.query<{ mac: Buffer }>('select mac from audit_records where audit_id = $1', [id])
      return { auditId: await insertForged(owner, tenant, { date, mac: rows[0]?.mac ?? null }), day: date }
    },
  ],
  [
    'an inserted day before the first one',
    async ({ tenant }) => ({ auditId: await insertForged(owner, tenant, { date: daysAgo(5) }), day: daysAgo(5) }),
  ],
  [
    'an inserted record of a sealed day without records',
    async ({ tenant }) => {
      await forgetDay(tenant, daysAgo(1))
      return { auditId: await insertForged(owner, tenant, { date: daysAgo(1) }), day: daysAgo(1) }
    },
  ],
  [
    'a true record that was moved from another day',
    async ({ tenant, ids: [auditId = ''] }) => {
      const { rows } = await owner.query<{ size: number }>(
        'update audit_days set size = size + 1 where tenant_id = $1 and date = $2 returning size',
        [tenant.id, date],
      )
      await owner.query('update audit_records set date = $2, seq = $3 where audit_id = $1', [
        auditId,
        date,
        (rows[0]?.size ?? 1) - 1,
      ])
      return { auditId, day: date }
    },
  ],
  [
    'a record that the function of the version before appended',
    async ({ tenant }) => {
      const auditId = newId()
      await owner.query('begin')
      await owner.query(`select set_config('app.tenant_id', $1, true)`, [tenant.id])
      const head = `{"action":"x","actor":{},"at":"`
      const tail = `","auditId":"${auditId}","resource":{}}`
      await owner.query('select append_records($1, $2, $3, $4, $5, $6, $7, $8, $8)', [
        tenant.id,
        [auditId],
        ['x'],
        [head],
        [tail],
        [`,"tenant":"${tenant.externalId}","type":"x","v":1}`],
        [Buffer.alloc(32)],
        [],
      ])
      await owner.query('commit')
      return { auditId, day: date }
    },
  ],
  [
    'an inserted record that the stored tree already claims to contain',
    async ({ tenant }) => {
      const auditId = await insertForged(owner, tenant, { date })
      const { rows } = await owner.query<{ leaf_hash: Buffer }>(
        'select leaf_hash from audit_records where audit_id = $1',
        [auditId],
      )
      await owner.query(
        'update audit_tiles set hashes = hashes || $3 where tenant_id = $1 and log = $2 and level = 0',
        [tenant.id, date, rows[0]?.leaf_hash],
      )
      await owner.query('update audit_trees set size = size + 1 where tenant_id = $1 and log = $2', [tenant.id, date])
      return { auditId, day: date }
    },
  ],
  [
    'a day that another key signed, whose public key is stored as the tenant’s',
    async ({ tenant, ids: [auditId = ''] }) => {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519')
      const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
      await owner.query(`update signing_keys set public_key = $2 where tenant_id = $1 and purpose = 'log'`, [
        tenant.id,
        pem,
      ])
      const { rows } = await owner.query<{ size: number; root: Buffer }>(
        'select size, root from audit_checkpoints where tenant_id = $1 and date = $2',
        [tenant.id, past],
      )
      const [row = { size: 0, root: Buffer.alloc(32) }] = rows
      const origin = `localhost:3000/t/${tenant.externalId}/audit/${past}`
      const note = signNote(formatCheckpoint({ origin, ...row }), { name: origin, privateKey })
      await owner.query('update audit_checkpoints set note = $3 where tenant_id = $1 and date = $2', [
        tenant.id,
        past,
        note,
      ])
      return { auditId, day: past }
    },
  ],
]

async function placeOf(auditId: string): Promise<{ date: string; seq: number }> {
  const { rows } = await owner.query<{ date: string; seq: number }>(
    'select date::text, seq from audit_records where audit_id = $1',
    [auditId],
  )
  return rows[0] ?? { date: '', seq: -1 }
}

const signedHeads = async ({ id }: TestTenant) =>
  (
    await owner.query(
      `select date::text, size from audit_checkpoints where tenant_id = $1
       union all select 'seals', size from audit_seal_checkpoints where tenant_id = $1 order by 1, 2`,
      [id],
    )
  ).rows

/** What the service makes of the stored rows. */
async function judge({ tenant, day, auditId }: { tenant: TestTenant; day: string; auditId: string }) {
  const before = await signedHeads(tenant)
  await signTenant(tenant.id)
  await recheckTenant(tenant.id)
  await signTenant(tenant.id)
  const auditor = await tenant.as('vera', { roles: ['auditor'] })
  const known = new Set(before.map((head) => JSON.stringify(head)))
  const made = (await signedHeads(tenant)).filter((head) => !known.has(JSON.stringify(head)))
  const { status } = await execute(verify, auditor, { tenant: tenant.externalId, auditId }, { name: 'traces.verify' })
  const period = { startDate: `${day}T00:00:00Z`, endDate: `${day}T23:59:59Z`, includeProofs: true }
  const { rows } = await owner.query(
    `select 1 from audit_records where tenant_id = $1 and type = 'audit_log.integrity_failed'`,
    [tenant.id],
  )
  return {
    signed: made.filter((head) => head.date === day || head.date === 'seals'),
    verified: status === 'verified',
    exported: await running.make(tenant, auditor, period).then(({ status }) => status, exportWaits),
    alarm: rows.length > 0,
  }
}

/** The period of a day that was deleted whole lies before the log as it is stored. */
const refusedPeriod = (error: unknown): string => {
  if (error instanceof ApiError && error.code === 'bad_request') return 'failed'
  throw error
}

/** While signing waits, an export is not made: the queue runs it again. */
const exportWaits = (error: unknown): string => {
  if (error instanceof SigningWaits) return 'waits'
  return refusedPeriod(error)
}

const refused = { signed: [], verified: false, exported: 'failed', alarm: true }

test.each(attacks)(
  '%s is neither signed, sealed, verified nor exported, and raises the alarm',
  async (_what, attack) => {
    const one = await signedTenant()
    const forged = { tenant: one.tenant, ...(await attack(one)) }
    expect(await judge(forged)).toEqual(refused)
    // Another node, or this one after a restart.
    expect(await inNewProcess(() => judge(forged))).toEqual(refused)
  },
)

/** A process that starts now: nothing that another one remembers decides. */
async function inNewProcess<T>(work: () => Promise<T>): Promise<T> {
  const database = openDatabase(running.database.url, running.log, { poolSize: 4 })
  setRuntime({ ...running, database })
  try {
    return await work()
  } finally {
    setRuntime(running)
    await database.close()
  }
}

test.each(attacks)(
  '%s does not verify while signing waits for a connection that counts as an older version, and is found after it',
  async (_what, attack) => {
    const one = await signedTenant()
    const forged = { tenant: one.tenant, ...(await attack(one)) }
    const unnamed = new Client({ connectionString: running.database.url })
    await unnamed.connect()
    const waited = await inNewProcess(() => judge(forged)).finally(() => unnamed.end())
    expect(waited).toMatchObject({ signed: [], verified: false, exported: expect.stringMatching(/^(waits|failed)$/) })
    const connected = `select 1 from pg_stat_activity
      where datname = current_database() and usename <> current_user and application_name = ''`
    await until(
      async () => (await owner.query(connected)).rowCount === 0 || undefined,
      'the end of the unnamed connection',
    )
    expect(await inNewProcess(() => judge(forged))).toEqual(refused)
  },
)

test('audit.get refuses a record of a sealed day whose signature was removed or replaced', async () => {
  const { tenant, ids } = await signedTenant()
  const auditor = await tenant.as('vera', { roles: ['auditor'] })
  const shown = () => execute(get, auditor, { auditId: ids[1] ?? '' }, { name: 'audit.get' })
  expect((await shown()).seal).toBe('sealed')
  await owner.query('update audit_days set sealed_at = null where tenant_id = $1 and date = $2', [tenant.id, past])
  await expect(shown()).rejects.toMatchObject({ code: 'integrity_failed' })
  await owner.query('delete from audit_checkpoints where tenant_id = $1 and date = $2', [tenant.id, past])
  await expect(shown()).rejects.toMatchObject({ code: 'integrity_failed' })
  const input = { tenant: tenant.externalId, auditId: ids[1] ?? '' }
  expect((await execute(verify, auditor, input, { name: 'traces.verify' })).status).toBe('mismatch')
})

test('the same checks accept a log that was not changed', async () => {
  const { tenant, ids } = await signedTenant()
  await signTenant(tenant.id)
  await recheckTenant(tenant.id)
  const auditor = await tenant.as('vera', { roles: ['auditor'] })
  await signTenant(tenant.id)
  const input = { tenant: tenant.externalId, auditId: ids[0] ?? '' }
  expect((await execute(verify, auditor, input, { name: 'traces.verify' })).status).toBe('verified')
  const period = { startDate: `${past}T00:00:00Z`, endDate: `${date}T23:59:59Z`, includeProofs: true }
  expect(await running.make(tenant, auditor, period)).toMatchObject({ error: null, status: 'completed' })
  const { rows } = await owner.query(
    `select record from audit_records where tenant_id = $1 and type = 'audit_log.integrity_failed'`,
    [tenant.id],
  )
  expect(rows).toEqual([])
})

test('a check whose state says that it happened in the future is tampering, and is carried out', async () => {
  const { tenant } = await signedTenant()
  await recheckTenant(tenant.id)
  for (const time of ['infinity', '2100-01-01']) {
    await owner.query('update audit_trees set checked_at = $2 where tenant_id = $1 and log = $3', [
      tenant.id,
      time,
      past,
    ])
    await recheckTenant(tenant.id)
    const { rows } = await owner.query<{ broken_reason: string }>(
      'select broken_reason from audit_trees where tenant_id = $1 and log = $2',
      [tenant.id, past],
    )
    expect(rows[0]?.broken_reason).toMatch(/time in the future/)
    await owner.query(
      'update audit_trees set checked_at = null, broken_at = null, broken_reason = null, mac = null where tenant_id = $1',
      [tenant.id],
    )
    await recheckTenant(tenant.id)
  }
})

test('a broken log stays broken when the row that states it is replaced by an earlier one', async () => {
  const { tenant, ids } = await signedTenant()
  await recheckTenant(tenant.id)
  const { rows: kept } = await owner.query<{ checked_at: Date; mac: Buffer }>(
    'select checked_at, mac from audit_trees where tenant_id = $1 and log = $2',
    [tenant.id, past],
  )
  await rewriteRecord(owner, tenant, await placeOf(ids[1] ?? ''), 'It was never due.')
  await owner.query('update audit_trees set checked_at = null, mac = null where tenant_id = $1 and log = $2', [
    tenant.id,
    past,
  ])
  await recheckTenant(tenant.id)
  await owner.query(
    'update audit_trees set checked_at = $3, mac = $4, broken_at = null, broken_reason = null where tenant_id = $1 and log = $2',
    [tenant.id, past, kept[0]?.checked_at, kept[0]?.mac],
  )
  const auditor = await tenant.as('vera', { roles: ['auditor'] })
  const input = { tenant: tenant.externalId, auditId: ids[4] ?? '' }
  expect((await execute(verify, auditor, input, { name: 'traces.verify' })).status).toBe('mismatch')
})
