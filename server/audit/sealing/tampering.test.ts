import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '#lib/json.ts'
import { get } from '#server/audit/get.ts'
import { findDay, today } from '#server/audit/store.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { auditLeafHash, recordDigest } from '#server/kernel/audit/record.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { countCases } from '#server/testing/properties/counts.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { verify } from '#server/traces/verify.ts'
import { recheckTenant, whyBroken } from './recheck.ts'
import { signTenant } from './sign-tenant.ts'

// An attacker with the database's password changes one record, in every place and way: each time the check of the record and
// the check of the whole day fail. Both pass before, and again after the row is restored.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
let tenant: TestTenant
let auditor: Caller
let date: string
let ids: string[]
beforeAll(async () => {
  runtime = await testRuntime()
  owner = await connectAsOwner(runtime)
  date = await runtime.database.inDirectory(today)
  tenant = await testTenant(runtime)
  auditor = await tenant.as('vera', { roles: ['auditor'] })
  ids = await runtime.database.inTenant(tenant.id, async (tx) => {
    const made = []
    for (let index = 0; index < 20; index++)
      made.push(
        await appendAudit(tx, tenant, {
          actor: systemActor,
          action: 'refund.approved',
          resource: { type: 'approval', id: newId() },
          reason: `It is due, case ${index}.`,
          details: { amount: 100 + index, currency: 'EUR' },
        }),
      )
    return made
  })
  await signTenant(tenant.id)
})
afterAll(async () => {
  await owner.end()
  await runtime.close()
})

/** Returns the result of traces.verify for the earlier proof, and why the check of the whole day fails. */
async function judged(auditId: string, proof: Awaited<ReturnType<typeof proofOf>>) {
  const input = { tenant: tenant.externalId, auditId, ...proof }
  const { verified } = await execute(verify, auditor, input, { name: 'traces.verify' })
  const broken = await whyBroken(tenant, date)
  return { verified, broken }
}
async function proofOf(auditId: string) {
  const {
    date: day,
    nonce,
    merkleRoot,
    leafIndex,
    treeSize,
    inclusionProof,
    checkpoint,
  } = await execute(get, auditor, { auditId }, { name: 'audit.get' })
  if (merkleRoot === null || treeSize === null || inclusionProof === null || checkpoint === null)
    throw new Error('The record is not sealed.')
  return { date: day, nonce, merkleRoot, leafIndex, treeSize, inclusionProof, checkpoint }
}

/** All but the columns that the database makes of the record. */
const written = 'tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at'

/** A statement on one record, which is `$1` of tenant `$2`. */
type Tampering = [what: string, statement: string]

const set = (what: string, to: string): Tampering => [
  what,
  `update audit_records set ${to} where audit_id = $1 and tenant_id = $2`,
]
const flippedBit = (column: string, bit: number) =>
  set(`bit ${bit} of its ${column}`, `${column} = set_bit(${column}, ${bit}, 1 - get_bit(${column}, ${bit}))`)
const field = (path: string, value: string) =>
  set(`${path} = ${value}`, `record = jsonb_set(record, '{${path}}', '${value}')`)

const flips: Tampering[] = [
  ...[0, 1, 7, 31, 63, 64, 100, 128, 150, 200, 254, 255].flatMap((bit) => [
    flippedBit('digest', bit),
    flippedBit('leaf_hash', bit),
  ]),
  ...['"person"', '""', 'null', '{}'].map((value) => field('actor,type', value)),
  ...['"mallory"', '"Countersign "', '"countersign"', '1'].map((value) => field('actor,name', value)),
  ...['"0"', '" countersign"', '[]'].map((value) => field('actor,id', value)),
  ...['"refund.rejected"', '"refund.approved "', '"Refund.approved"', 'true'].map((value) => field('action', value)),
  ...['"execution"', '"approval\\u200b"'].map((value) => field('resource,type', value)),
  ...['"x"', '"00000000-0000-0000-0000-000000000000"'].map((value) => field('resource,id', value)),
  ...['"It is not due."', '"It is due, case 7."', '"It is due,  case 3."', 'null', '"it is due, case 3."'].map(
    (value) => field('reason', value),
  ),
  ...['1', '1e3', '-100', '100.5', '"103"', 'null'].map((value) => field('details,amount', value)),
  ...['"USD"', '"eur"', '"EUR\\u0000"'.replace('\\u0000', ' ')].map((value) => field('details,currency', value)),
  field('details,constructor', '1'),
  field('details,__proto__', '{}'),
  field('more', '1'),
  ...['"2026-01-01T00:00:00.000Z"', '"yesterday"', '0'].map((value) => field('at', value)),
  field('auditId', '"00000000-0000-7000-8000-000000000000"'),
  ...['reason', 'details', 'resource', 'actor', 'action', 'at', 'auditId'].map((name) =>
    set(`without ${name}`, `record = record - '${name}'`),
  ),
  ...['null', '[]', '{}', '"x"', '0'].map((value) => set(`record = ${value}`, `record = '${value}'`)),
  set('record in a list', 'record = jsonb_build_array(record)'),
  set('type', `type = 'refund.rejected'`),
  set('type with a space', `type = type || ' '`),
  set('time by a millisecond', `created_at = created_at + interval '1 millisecond'`),
  set('time by a day', `created_at = created_at - interval '1 day'`),
  ...['', 'x', 'x'.repeat(31), 'x'.repeat(33)].flatMap((value) => [
    set(`digest of ${value.length} bytes`, `digest = '${value}'`),
    set(`leaf hash of ${value.length} bytes`, `leaf_hash = '${value}'`),
  ]),
  set('id', 'audit_id = gen_random_uuid()'),
]
const moves: Tampering[] = [
  set('day before', 'date = date - 1'),
  set('day after', 'date = date + 1'),
  ...[1000, 2 ** 31 - 1, -1].map((seq) => set(`position ${seq}`, `seq = ${seq}`)),
  ['deleted', 'delete from audit_records where audit_id = $1 and tenant_id = $2'],
  [
    'another record under its id',
    `update audit_records a set (record, nonce, digest, leaf_hash, type) =
      (select record, nonce, digest, leaf_hash, type from audit_records b
       where b.tenant_id = a.tenant_id and b.date = a.date and b.seq = a.seq - 1)
     where audit_id = $1 and tenant_id = $2`,
  ],
  ...[1, 2, 3].map(
    (by): Tampering => [
      `exchanged with the one ${by} before`,
      `with pair as (select tenant_id, date, seq from audit_records where audit_id = $1 and tenant_id = $2)
       update audit_records r set audit_id = other.audit_id
       from pair, audit_records other
       where r.tenant_id = pair.tenant_id and r.date = pair.date and other.tenant_id = pair.tenant_id
         and other.date = pair.date and (r.seq, other.seq) in ((pair.seq, pair.seq - ${by}), (pair.seq - ${by}, pair.seq))`,
    ],
  ),
]

test('each change of one record is found by the check of the record and by the check of the day', {
  timeout: 240_000,
}, async (context) => {
  const all = [...flips, ...moves]
  let found = 0
  for (const [index, [what, statement]] of all.entries()) {
    const id = ids[3 + (index % 15)] ?? ''
    const proof = await proofOf(id)
    if (index % 20 === 0)
      expect(await judged(id, proof), `before ${what}`).toEqual({ verified: true, broken: undefined })
    // Unique keys are checked row by row otherwise, and an exchange would fail.
    await owner.query(`create temporary table kept as select ${written} from audit_records where tenant_id = $1`, [
      tenant.id,
    ])
    await owner.query('alter table audit_records drop constraint audit_records_tenant_id_audit_id_key')
    const { rowCount } = await owner.query(statement, [id, tenant.id])
    expect(rowCount, what).toBeGreaterThan(0)
    const after = await judged(id, proof)
    expect(after.verified, what).toBe(false)
    expect(after.broken, what).toEqual(expect.any(String))
    found += 1
    await owner.query('delete from audit_records where tenant_id = $1', [tenant.id])
    await owner.query(`insert into audit_records (${written}) select * from kept`)
    await owner.query('drop table kept')
    await owner.query(
      'alter table audit_records add constraint audit_records_tenant_id_audit_id_key unique (tenant_id, audit_id)',
    )
  }
  expect(found).toBeGreaterThanOrEqual(100)
  countCases(context, found)
})

test('an inserted record is found in every place, whether it is consistent in itself or not', async (context) => {
  // The verifications before have raised alarms, which are records of the same day.
  const size = async () => (await runtime.database.inTenant(tenant.id, (tx) => findDay(tx, tenant.id, date)))?.size ?? 0
  const forged: string[] = []
  for (const place of [-1, 1000, 2 ** 31 - 1, 'beyond'] as const) {
    const seq = place === 'beyond' ? (await size()) + 50 : place
    const auditId = newId()
    const record: JsonObject = {
      auditId,
      at: new Date().toISOString(),
      actor: systemActor,
      action: 'refund.approved',
      resource: { type: 'x', id: 'y' },
    }
    const nonce = randomBytes(32)
    const digest = recordDigest(nonce, record)
    const leafHash = auditLeafHash({
      auditId,
      date,
      digest,
      seq: Math.max(0, seq),
      tenant: tenant.externalId,
      type: 'refund.approved',
    })
    await owner.query(
      `insert into audit_records (tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at)
       values ($1, $2, $3, $4, 'refund.approved', $5, $6, $7, $8, $9)`,
      [tenant.id, date, seq, auditId, record, nonce, digest, leafHash, record.at],
    )
    const input = { tenant: tenant.externalId, auditId }
    const answer = await execute(verify, auditor, input, { name: 'traces.verify' })
    expect(answer.verified, `${seq}`).toBe(false)
    expect(await whyBroken(tenant, date), `${seq}`).toMatch(/beyond its size|is missing/)
    await owner.query('delete from audit_records where tenant_id = $1 and audit_id = $2', [tenant.id, auditId])
    forged.push(auditId)
  }
  countCases(context, forged.length)
})

test('the recurring check raises an alarm once, and no record of that day verifies until the check passes again', async () => {
  const own = await testTenant(runtime)
  const caller = await own.as('vera', { roles: ['auditor'] })
  const append = (count: number) =>
    runtime.database.inTenant(own.id, async (tx) => {
      const made = []
      for (let index = 0; index < count; index++)
        made.push(
          await appendAudit(tx, own, { actor: systemActor, action: 'test', resource: { type: 'x', id: newId() } }),
        )
      return made
    })
  // More than a tile, so that the change is far from the requested record.
  const [, , far = ''] = await append(300)
  const near = (await append(1))[0] ?? ''
  await signTenant(own.id)
  await recheckTenant(own.id)
  const check = async () =>
    (await execute(verify, caller, { tenant: own.externalId, auditId: near }, { name: 'traces.verify' })).status
  expect(await check()).toBe('verified')
  const alarms = async () =>
    (
      await owner.query(
        `select record -> 'resource' ->> 'id' as log, record ->> 'reason' as reason from audit_records
         where tenant_id = $1 and type = 'audit_log.integrity_failed'`,
        [own.id],
      )
    ).rows
  expect(await alarms()).toEqual([])

  const again = () => owner.query('update audit_trees set checked_at = null, mac = null where tenant_id = $1', [own.id])
  await owner.query(`update audit_records set type = 'tset' where tenant_id = $1 and audit_id = $2`, [own.id, far])
  for (const round of [1, 2]) {
    await again()
    await recheckTenant(own.id)
    expect(await alarms(), `round ${round}`).toEqual([{ log: date, reason: expect.stringContaining('was changed') }])
  }
  expect(await check()).toBe('mismatch')

  await owner.query(`update audit_records set type = 'test' where tenant_id = $1 and audit_id = $2`, [own.id, far])
  await again()
  await signTenant(own.id)
  await recheckTenant(own.id)
  expect(await check()).toBe('verified')
})
