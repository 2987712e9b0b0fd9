// Longer than other files: one log, whose records the cases change one after the other.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditProof } from '#lib/schemas/audit.ts'
import type { VerifyInput } from '#lib/schemas/traces.ts'
import { facets } from '#server/audit/facets.ts'
import { get } from '#server/audit/get.ts'
import { list } from '#server/audit/list.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { asOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { verify } from '#server/traces/verify.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  runtime = await testRuntime()
})
afterAll(() => runtime.close())

/** A tenant with `count` signed records of its own, the ids of these, and an auditor. */
async function signedLog(count = 5) {
  const tenant = await testTenant(runtime)
  const auditor = await tenant.as('vera', { roles: ['auditor'] })
  const ids = await log(tenant, count)
  await signTenant(tenant.id)
  return { tenant, auditor, ids }
}

const log = (tenant: TestTenant, count: number) =>
  runtime.database.inTenant(tenant.id, async (tx) => {
    const ids = []
    for (let index = 0; index < count; index++)
      ids.push(
        await appendAudit(tx, tenant, {
          actor: systemActor,
          action: 'refund.approved',
          resource: { type: 'approval', id: newId() },
          reason: `It is due, case ${index}.`,
        }),
      )
    return ids
  })

const proofOf = (caller: Caller, auditId = '') => execute(get, caller, { auditId }, { name: 'audit.get' })
const check = (caller: Caller, input: VerifyInput) => execute(verify, caller, input, { name: 'traces.verify' })

/** Returns the input of traces.verify from the result of audit.get. */
function asInput({ record, digest, seal, sealLog, tlogProof, sealTlogProof, ...proof }: AuditProof): VerifyInput {
  const { merkleRoot, treeSize, inclusionProof, checkpoint, ...known } = proof
  if (merkleRoot === null || treeSize === null || inclusionProof === null || checkpoint === null) return known
  return { ...known, merkleRoot, treeSize, inclusionProof, checkpoint }
}
const failed = ({ checks }: { checks: { name: string; ok: boolean }[] }) =>
  checks.filter((one) => !one.ok).map((one) => one.name)

const flip = (hex = '') => `${hex.slice(0, -1)}${hex.endsWith('0') ? '1' : '0'}`

describe('traces.verify', () => {
  test('verifies every record with the proof that audit.get gives', async () => {
    const { auditor, ids } = await signedLog(9)
    for (const id of ids) {
      const answer = await check(auditor, asInput(await proofOf(auditor, id)))
      expect(answer).toMatchObject({ verified: true, status: 'verified' })
      expect(answer.checks.map((one) => one.name)).toEqual([
        'record',
        'date',
        'digest',
        'leaf',
        'merkleRoot',
        'checkpoint',
        'inclusion',
        'log',
      ])
    }
  })

  test('verifies with only the fields of the specification, and with the root of an earlier checkpoint', async () => {
    const { tenant, auditor, ids } = await signedLog()
    const { date, nonce, merkleRoot, auditId } = await proofOf(auditor, ids[1])
    await log(tenant, 4)
    await signTenant(tenant.id)
    const later = await proofOf(auditor, ids[1])
    expect(later.merkleRoot).not.toBe(merkleRoot)
    for (const root of [merkleRoot, later.merkleRoot]) {
      const answer = await check(auditor, { tenant: tenant.externalId, auditId, date, nonce, merkleRoot: root ?? '' })
      expect(answer.status).toBe('verified')
    }
  })

  test('returns pending_seal for a record newer than the last checkpoint, unless it was changed', async () => {
    const { tenant, auditor } = await signedLog()
    const [id] = await log(tenant, 1)
    const proof = await proofOf(auditor, id)
    expect(proof).toMatchObject({ seal: 'pending', merkleRoot: null, inclusionProof: null })
    expect(await check(auditor, asInput(proof))).toMatchObject({ verified: false, status: 'pending_seal' })
    const withRoot = { ...asInput(proof), merkleRoot: '0'.repeat(64) }
    expect(await check(auditor, withRoot)).toMatchObject({ verified: false, status: 'pending_seal' })
    const withOtherNonce = { ...asInput(proof), nonce: flip(proof.nonce) }
    expect(await check(auditor, withOtherNonce)).toMatchObject({ verified: false, status: 'mismatch' })
  })

  const wrong: [string, (input: VerifyInput) => Partial<VerifyInput>, string[]][] = [
    ['nonce', ({ nonce }) => ({ nonce: flip(nonce) }), ['digest', 'leaf', 'inclusion']],
    ['root', ({ merkleRoot }) => ({ merkleRoot: flip(merkleRoot) }), ['merkleRoot', 'checkpoint', 'inclusion', 'log']],
    ['date', () => ({ date: '2026-01-01' }), ['date']],
    ['index', ({ leafIndex = 0 }) => ({ leafIndex: leafIndex + 1 }), ['inclusion']],
    ['size', ({ treeSize = 0 }) => ({ treeSize: treeSize + 1 }), ['checkpoint', 'inclusion']],
    ['path', ({ inclusionProof = [] }) => ({ inclusionProof: inclusionProof.map(flip) }), ['inclusion']],
    ['shorter path', ({ inclusionProof = [] }) => ({ inclusionProof: inclusionProof.slice(1) }), ['inclusion']],
    ['checkpoint', ({ checkpoint = '' }) => ({ checkpoint: checkpoint.replace('\n', '/..\n') }), ['checkpoint']],
    ['text for a checkpoint', () => ({ checkpoint: 'nothing' }), ['checkpoint']],
  ]
  test.each(wrong)('finds a wrong %s', async (_name, change, checks) => {
    const { auditor, ids } = await signedLog()
    const input = asInput(await proofOf(auditor, ids[2]))
    const answer = await check(auditor, { ...input, ...change(input) })
    expect(answer).toMatchObject({ verified: false, status: 'mismatch' })
    expect(failed(answer)).toEqual(checks)
  })

  test('rejects the checkpoint of another tenant and that of another day', async () => {
    const [one, two] = [await signedLog(), await signedLog()]
    const foreign = await proofOf(two.auditor, two.ids[2])
    const input = asInput(await proofOf(one.auditor, one.ids[2]))
    const answer = await check(one.auditor, { ...input, checkpoint: foreign.checkpoint ?? '' })
    expect(failed(answer)).toEqual(['checkpoint'])
  })

  const tampering: [string, string, string[]][] = [
    [
      'a word of the record',
      `record = jsonb_set(record, '{reason}', '"It is not due."')`,
      ['digest', 'leaf', 'inclusion'],
    ],
    ['the actor', `record = jsonb_set(record, '{actor,name}', '"someone"')`, ['digest', 'leaf', 'inclusion']],
    ['the whole record', `record = 'null'`, ['date', 'digest', 'leaf', 'inclusion']],
    ['the digest', `digest = sha256('x')`, ['digest']],
    ['a digest of another length', `digest = 'x'`, ['digest']],
    ['the leaf hash', `leaf_hash = sha256('x')`, ['leaf', 'log']],
    ['a leaf hash of another length', `leaf_hash = 'x'`, ['leaf', 'log']],
    ['the type', `type = 'refund.rejected'`, ['leaf', 'inclusion']],
    ['the time', `created_at = created_at - interval '1 hour'`, ['date']],
    ['the date', `date = date - 1`, ['date', 'leaf', 'merkleRoot']],
    ['the position', `seq = 1000`, ['leaf', 'merkleRoot']],
  ]
  test.each(tampering)('finds that SQL changed %s', async (_name, change, checks) => {
    const { auditor, ids } = await signedLog()
    const input = asInput(await proofOf(auditor, ids[2]))
    await asOwner(runtime, `update audit_records set ${change} where audit_id = '${ids[2]}'`)
    const answer = await check(auditor, input)
    expect(answer).toMatchObject({ verified: false, status: 'mismatch' })
    expect(failed(answer)).toEqual(checks)
  })

  test('finds that SQL changed the nonce if the caller relies on the stored one', async () => {
    const { auditor, ids } = await signedLog()
    const input = asInput(await proofOf(auditor, ids[2]))
    await asOwner(runtime, `update audit_records set nonce = sha256('x') where audit_id = '${ids[2]}'`)
    expect(failed(await check(auditor, { ...input, nonce: undefined }))).toEqual(['digest', 'leaf', 'inclusion'])
    // Anyone with the genuine one can still verify the record.
    expect((await check(auditor, input)).status).toBe('verified')
  })

  test('finds a record whose whole row was rewritten consistently', async () => {
    const { auditor, ids } = await signedLog()
    const input = asInput(await proofOf(auditor, ids[2]))
    // The row of another record under this one's id: every hash of it belongs together.
    await asOwner(
      runtime,
      `update audit_records a set (record, nonce, digest, leaf_hash) =
        (select record, nonce, digest, leaf_hash from audit_records where audit_id = '${ids[3]}')
       where audit_id = '${ids[2]}'`,
    )
    expect(await check(auditor, input)).toMatchObject({ verified: false, status: 'mismatch' })
  })

  test('finds records that were swapped, removed or inserted', async () => {
    const elsewhere: ((ids: string[]) => Promise<void>)[] = [
      async ([, a, , b]) => {
        await asOwner(runtime, `update audit_records set seq = 1000000 where audit_id = '${a}'`)
        await asOwner(runtime, `update audit_records set seq = seq - 2 where audit_id = '${b}'`)
        await asOwner(
          runtime,
          `update audit_records set seq = (select seq + 2 from audit_records where audit_id = '${b}') where audit_id = '${a}'`,
        )
      },
      ([, a]) => asOwner(runtime, `delete from audit_records where audit_id = '${a}'`),
      ([, a, , b]) =>
        asOwner(
          runtime,
          `update audit_records set leaf_hash = (select leaf_hash from audit_records where audit_id = '${b}') where audit_id = '${a}'`,
        ),
    ]
    for (const change of elsewhere) {
      const { auditor, ids } = await signedLog()
      const input = asInput(await proofOf(auditor, ids[2]))
      await change(ids)
      const answer = await check(auditor, input)
      expect(answer).toMatchObject({ verified: false, status: 'mismatch' })
      expect(failed(answer)).toEqual(['log'])
    }
  })

  test('finds a checkpoint that was changed or removed', async () => {
    for (const change of [
      `update audit_checkpoints set root = sha256('x') where tenant_id = $1`,
      `update audit_checkpoints set size = size + 1 where tenant_id = $1`,
      `update audit_checkpoints set note = 'x' where tenant_id = $1`,
    ]) {
      const { tenant, auditor, ids } = await signedLog()
      const input = asInput(await proofOf(auditor, ids[2]))
      await asOwner(runtime, change, [tenant.id])
      expect(await check(auditor, input)).toMatchObject({ verified: false, status: 'mismatch' })
    }
  })

  test('returns not_found for an unknown record, a removed one and another tenant’s', async () => {
    const [one, two] = [await signedLog(), await signedLog()]
    const input = asInput(await proofOf(one.auditor, one.ids[2]))
    await asOwner(runtime, `delete from audit_records where audit_id = '${one.ids[2]}'`)
    const answers = await Promise.all(
      [one.ids[2], newId(), two.ids[2]].map((auditId = '') => check(one.auditor, { ...input, auditId })),
    )
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]).toMatchObject({ verified: false, status: 'not_found' })
  })

  test('requires the permission to verify, in the caller’s own tenant', async () => {
    const [one, two] = [await signedLog(), await signedLog()]
    const input = asInput(await proofOf(two.auditor, two.ids[2]))
    await expect(check(one.auditor, input)).rejects.toMatchObject({ code: 'tenant_access_denied' })
    const viewer = await two.tenant.as('viewer', { roles: ['viewer'] })
    await expect(check(viewer, input)).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('audit.list and audit.get', () => {
  test('show every record once, newest first, and only with permission', async () => {
    const { tenant, auditor, ids } = await signedLog(7)
    const seen = []
    let cursor: string | null | undefined
    do {
      const page = await execute(list, auditor, { limit: 3, ...(cursor ? { cursor } : {}) }, { name: 'audit.list' })
      seen.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(seen.map((item) => item.seq)).toEqual(seen.map((_, index) => seen.length - 1 - index))
    expect(seen.slice(0, 7).map((item) => item.auditId)).toEqual([...ids].reverse())
    expect(seen[0]).toMatchObject({ type: 'refund.approved', actor: systemActor, reason: 'It is due, case 6.' })
    const viewer = await tenant.as('viewer', { roles: ['viewer'] })
    await expect(execute(list, viewer, {}, { name: 'audit.list' })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(execute(list, auditor, { cursor: '9' }, { name: 'audit.list' })).rejects.toThrow('not a cursor')
  })

  test('the list is filtered by actor, action, resource and time, page by page', async () => {
    const { tenant, auditor } = await signedLog(3)
    const other = { type: 'person', id: newId(), name: 'Tom' } as const
    const about = newId()
    await runtime.database.inTenant(tenant.id, async (tx) => {
      for (const [actor, action, id] of [
        [other, 'secret.read', about],
        [systemActor, 'secret.read', newId()],
        [other, 'secret.revoke', about],
        [other, 'secret.read', newId()],
      ] as const)
        await appendAudit(tx, tenant, { actor, action, resource: { type: 'secret', id } })
    })
    const all = await execute(list, auditor, { limit: 200 }, { name: 'audit.list' })
    const found = async (filter: object) => {
      const seen: typeof all.items = []
      let cursor: string | null = null
      do {
        const page: typeof all = await execute(
          list,
          auditor,
          { limit: 1, ...filter, ...(cursor === null ? {} : { cursor }) },
          { name: 'audit.list' },
        )
        seen.push(...page.items)
        cursor = page.nextCursor
      } while (cursor !== null)
      return seen
    }
    const those = (fits: (item: (typeof all.items)[number]) => boolean) => all.items.filter(fits)
    expect(await found({ actorId: other.id })).toEqual(those((item) => item.actor.id === other.id))
    expect(await found({ action: 'secret.read' })).toEqual(those((item) => item.type === 'secret.read'))
    expect(await found({ resourceId: about })).toEqual(those((item) => item.resource.id === about))
    expect(await found({ resourceId: about, action: 'secret.read', actorId: other.id })).toHaveLength(1)
    const middle = all.items[2]?.at ?? ''
    expect(await found({ from: middle, actorId: other.id })).toEqual(
      those((item) => item.at >= middle && item.actor.id === other.id),
    )
    expect(await found({ to: middle })).toEqual(those((item) => item.at < middle))
    expect(await found({ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' })).toEqual([])

    const offered = await execute(facets, auditor, undefined, { name: 'audit.facets' })
    expect(offered.actions).toEqual([...new Set(all.items.map(({ type }) => type))].sort())
    expect(offered.actors).toEqual([...new Map(all.items.map(({ actor }) => [actor.id, actor])).values()])
    expect(offered.actors[0]).toEqual(other)
    const viewer = await tenant.as('viewer', { roles: ['viewer'] })
    await expect(execute(facets, viewer, undefined, { name: 'audit.facets' })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('another tenant’s record and one that never existed get the same answer', async () => {
    const [one, two] = [await signedLog(), await signedLog()]
    for (const id of [two.ids[0], newId()])
      await expect(proofOf(one.auditor, id)).rejects.toMatchObject({ code: 'not_found', message: 'Not found.' })
  })
})
