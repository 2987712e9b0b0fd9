import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { execute } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { askForRefund, approverGroup as group, presentation } from '#server/testing/approval-request.ts'
import { asOwner, connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { decide } from './decide.ts'
import { get } from './get.ts'
import { getPending } from './get-pending.ts'
import { expiry } from './jobs.ts'
import { list } from './list.ts'
import { payloadDigestOf } from './payload-digest.ts'
import { spendApproval } from './spend.ts'
import { type DecidedApproval, onDecided } from './subjects.ts'

// Decisions on the real database: eligibility, quorum, escalation, expiry and single use of an approval.

let running: Awaited<ReturnType<typeof testRuntime>>
const told: DecidedApproval[] = []
/** What a decision waits for before it commits. */
let held: (() => Promise<void>) | undefined
beforeAll(async () => {
  running = await testRuntime()
  onDecided('tool_call', async (_tx, _tenant, approval) => {
    told.push(approval)
    await held?.()
  })
  await running.queue.work([expiry])
})
afterAll(() => running.close())

const payload = { action: 'ToolCall', arguments: { id: 'A-1' } }

async function people() {
  const tenant = await testTenant(running)
  const approver = (name: string, groups = [group]) => tenant.as(name, { roles: ['approver'], groups })
  const maria = await tenant.as('maria', { roles: ['developer', 'approver'], groups: [group] })
  const machine = await tenant.as('ci', {
    roles: ['developer', 'approver'],
    kind: 'service_account',
    createdBy: maria.principal.memberId,
    groups: [group],
  })
  return {
    tenant,
    maria,
    machine,
    jonas: await approver('jonas'),
    anna: await approver('anna'),
    outsider: await approver('omar', []),
  }
}

const ask = (tenant: TestTenant, by: Caller, options: { quorum?: number; expiresAfterSeconds?: number } = {}) =>
  askForRefund(tenant, by, { payload, ...options })
const vote = (caller: Caller, approvalId: string, decision = 'approve', more: object = {}) =>
  execute(
    decide,
    caller,
    { approvalId, decision, decisionAcknowledged: true, reason: 'Because.', ...more },
    { name: 'approvals.decide' },
  )
const read = (caller: Caller, approvalId: string) => execute(get, caller, { approvalId }, { name: 'approvals.get' })
const pending = async (caller: Caller, view: string) =>
  (await execute(getPending, caller, { limit: 50, view }, { name: 'approvals.getPending' })).items.map(
    (item) => item.approvalId,
  )
const audited = async (tenant: TestTenant, approvalId: string) =>
  await runtime()
    .database.inTenant(tenant.id, (tx) =>
      tx
        .selectFrom('auditRecords')
        .select(['type', 'record'])
        .where('tenantId', '=', tenant.id)
        .orderBy('seq')
        .execute(),
    )
    .then((rows) => rows.filter((row) => JSON.stringify(row.record).includes(approvalId)).map((row) => row.type))

test('a decision that commits between the statements of a read is shown whole', async () => {
  const { tenant, maria, jonas, anna } = await people()
  const { approvalId } = await ask(tenant, maria)
  const owner = await connectAsOwner(running)
  const waits = async () => {
    const { rows } = await running.database.inDirectory((tx) =>
      sql`select from pg_locks where relation = 'approver_group_members'::regclass and not granted`.execute(tx),
    )
    return rows.length
  }
  try {
    const decision = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    held = () => {
      begun.resolve()
      return decision.promise
    }
    const voting = vote(anna, approvalId, 'reject')
    await begun.promise
    // The lock waits for the decision, and the read waits for the lock: after it has the request, before it has the votes.
    const locking = owner.query('begin; lock table approver_group_members in access exclusive mode; commit')
    await until(async () => ((await waits()) === 1 ? true : undefined), 'the lock waits')
    const reading = read(jonas, approvalId)
    await until(async () => ((await waits()) === 2 ? true : undefined), 'the read waits')
    decision.resolve()
    await Promise.all([voting, locking])
    const { status, votes } = await reading
    expect({ status, votes: votes.length }).toEqual({ status: 'rejected', votes: 1 })
  } finally {
    held = undefined
    await owner.end()
  }
})

describe('anyone who caused a request', () => {
  test.each(['approve', 'escalate'])('may not %s it', async (decision) => {
    const { tenant, maria, machine } = await people()
    const { approvalId } = await ask(tenant, machine)
    await expect(vote(maria, approvalId, decision)).rejects.toMatchObject({ code: 'separation_of_duties' })
    expect((await read(maria, approvalId)).status).toBe('pending')
    expect(await audited(tenant, approvalId)).toContain(`approval.${decision}.refused`)
  })

  test('may reject it, in and outside the group, and the record names them', async () => {
    const { tenant, maria, machine, jonas } = await people()
    const lena = await tenant.as('lena', { roles: ['developer', 'approver'], groups: [] })
    for (const [person, requester] of [
      [maria, maria],
      [maria, machine],
      [lena, lena],
    ] as const) {
      const { approvalId } = await ask(tenant, requester)
      expect(await read(person, approvalId)).toMatchObject({
        blocked: { code: 'separation_of_duties' },
        mayReject: true,
        eligible: false,
      })
      const { status, auditId } = await vote(person, approvalId, 'reject')
      expect(status).toBe('rejected')
      expect(told.at(-1)).toMatchObject({ id: approvalId, status: 'rejected' })
      expect(await audited(tenant, approvalId)).toEqual(['approval.requested', 'approval.reject'])
      const decided = (await execute(list, jonas, { view: 'decided' }, { name: 'approvals.list' })).items[0]
      expect(decided).toMatchObject({ approvalId, auditId, decidedBy: { id: person.principal.memberId } })
      await expect(vote(person, approvalId, 'reject')).rejects.toMatchObject({ code: 'already_decided' })
    }
  })

  test('may not reject it by a machine, whose decisions the tenant does not allow', async () => {
    const { tenant, machine } = await people()
    const { approvalId } = await ask(tenant, machine)
    await expect(vote(machine, approvalId, 'reject')).rejects.toMatchObject({ code: 'machine_decision' })
  })
})

describe('eligibility', () => {
  test('excludes the requester, their service accounts and non-members of the group, and audits each refusal', async () => {
    const { tenant, maria, machine, jonas, outsider } = await people()
    const { approvalId } = await ask(tenant, machine)
    await expect(vote(maria, approvalId)).rejects.toMatchObject({
      code: 'separation_of_duties',
      message: expect.stringContaining('created the service account ci'),
    })
    await expect(vote(machine, approvalId)).rejects.toMatchObject({ code: 'machine_decision' })
    await expect(vote(outsider, approvalId)).rejects.toMatchObject({ code: 'not_eligible' })
    expect((await read(maria, approvalId)).blocked?.code).toBe('separation_of_duties')
    expect((await read(jonas, approvalId)).blocked).toBeNull()
    expect(await pending(jonas, 'needs-me')).toContain(approvalId)
    expect(await pending(maria, 'needs-me')).not.toContain(approvalId)
    expect(await pending(maria, 'mine')).toContain(approvalId)
    await vote(jonas, approvalId)
    expect(await audited(tenant, approvalId)).toEqual([
      'approval.requested',
      'approval.approve.refused',
      'approval.approve.refused',
      'approval.approve.refused',
      'approval.approve',
    ])
  })

  test('of too few members rejects the request when it is created', async () => {
    const { tenant, maria } = await people()
    await expect(ask(tenant, maria, { quorum: 3 })).rejects.toMatchObject({ code: 'no_eligible_approver' })
    expect((await ask(tenant, maria, { quorum: 2 })).approvalId).toBeDefined()
  })
})

describe('a decision', () => {
  test('with a quorum of two needs two people, and no one can vote twice', async () => {
    const { tenant, maria, jonas, anna } = await people()
    const { approvalId } = await ask(tenant, maria, { quorum: 2 })
    expect((await vote(jonas, approvalId)).status).toBe('pending')
    await expect(vote(jonas, approvalId)).rejects.toMatchObject({ code: 'already_voted' })
    expect(await vote(anna, approvalId)).toMatchObject({ status: 'approved', votes: 2 })
    expect(told.filter((approval) => approval.id === approvalId)).toMatchObject([{ status: 'approved' }])
  })

  test('is final after one rejection, and a later vote learns who decided', async () => {
    const { tenant, maria, jonas, anna } = await people()
    const { approvalId } = await ask(tenant, maria, { quorum: 2 })
    expect((await vote(jonas, approvalId, 'reject')).status).toBe('rejected')
    await expect(vote(anna, approvalId)).rejects.toMatchObject({
      code: 'already_decided',
      details: { status: 'rejected', decision: 'reject', decidedBy: jonas.principal.memberId },
    })
  })

  test('to escalate moves the request to the escalation group, where earlier votes no longer count', async () => {
    const { tenant, maria, jonas, anna } = await people()
    const erik = await tenant.as('erik', { roles: ['approver'], groups: ['escalation'] })
    const { approvalId } = await ask(tenant, maria)
    expect(await vote(jonas, approvalId, 'escalate')).toMatchObject({ status: 'pending', escalationLevel: 1 })
    await expect(vote(anna, approvalId)).rejects.toMatchObject({ code: 'not_eligible' })
    await expect(vote(erik, approvalId, 'escalate')).rejects.toMatchObject({ code: 'conflict' })
    expect((await vote(erik, approvalId)).status).toBe('approved')
    expect((await read(jonas, approvalId)).votes.map((one) => one.decision)).toEqual(['escalate', 'approve'])
  })

  test('to escalate without an eligible escalation group is rejected and changes nothing', async () => {
    const { tenant, maria, jonas } = await people()
    const { approvalId } = await ask(tenant, maria)
    await expect(vote(jonas, approvalId, 'escalate')).rejects.toMatchObject({ code: 'no_eligible_approver' })
    expect(await read(jonas, approvalId)).toMatchObject({ status: 'pending', revision: 1, votes: [] })
  })

  test('with another revision or digest, or without an acknowledgement or a reason, is rejected', async () => {
    const { tenant, maria, jonas } = await people()
    const { approvalId, payloadDigest } = await ask(tenant, maria)
    await expect(vote(jonas, approvalId, 'approve', { expectedRevision: 7 })).rejects.toMatchObject({
      code: 'revision_conflict',
      details: { revision: 1 },
    })
    await expect(
      vote(jonas, approvalId, 'approve', { payloadDigest: `sha256:${'0'.repeat(64)}` }),
    ).rejects.toMatchObject({ code: 'digest_mismatch' })
    await expect(vote(jonas, approvalId, 'approve', { decisionAcknowledged: false })).rejects.toThrow(
      /Acknowledge the decision/,
    )
    await expect(vote(jonas, approvalId, 'approve', { reason: '  ' })).rejects.toThrow(/Required/)
    expect(await vote(jonas, approvalId, 'approve', { expectedRevision: 1, payloadDigest })).toMatchObject({
      status: 'approved',
      revision: 2,
    })
  })

  test('repeated with the same Idempotency-Key gives the same answer and one vote', async () => {
    const { tenant, maria, jonas } = await people()
    const { approvalId } = await ask(tenant, maria)
    const input = { approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'Once.' }
    const send = (body: object) => execute(decide, jonas, body, { name: 'approvals.decide', idempotencyKey: 'k-1' })
    const answers = await Promise.all([send(input), send(input), send(input)])
    expect(new Set(answers.map((answer) => answer.decisionId)).size).toBe(1)
    await expect(send({ ...input, reason: 'Twice.' })).rejects.toMatchObject({ code: 'event_conflict' })
  })
})

describe('the end of a request', () => {
  test('by expiry counts as rejection and cannot be changed', async () => {
    const { tenant, maria, jonas } = await people()
    const { approvalId } = await ask(tenant, maria, { expiresAfterSeconds: 1 })
    await until(async () => ((await read(jonas, approvalId)).status === 'expired' ? true : undefined), 'it expired')
    expect(told.filter((approval) => approval.id === approvalId)).toMatchObject([{ status: 'expired' }])
    await expect(vote(jonas, approvalId)).rejects.toMatchObject({ code: 'already_decided' })
    expect(await audited(tenant, approvalId)).toContain('approval.expired')
  })

  test('takes effect at its expiry time, even before the expiry job has run', async () => {
    const { tenant, maria, jonas } = await people()
    const { approvalId } = await ask(tenant, maria)
    await asOwner(running, `update approvals set expires_at = now() - interval '1 second' where id = $1`, [approvalId])
    await expect(vote(jonas, approvalId)).rejects.toMatchObject({ code: 'already_decided' })
  })

  test('by approval can be spent once, on exactly the approved bytes', async () => {
    const { tenant, maria, jonas } = await people()
    const { approvalId } = await ask(tenant, maria)
    const spend = (bytes: object) =>
      runtime().database.inTenant(tenant.id, (tx) => spendApproval(tx, tenant.id, approvalId, bytes as typeof payload))
    expect(await spend(payload)).toBe(false)
    await vote(jonas, approvalId)
    expect(await spend({ ...payload, arguments: { id: 'A-2' } })).toBe(false)
    expect((await Promise.all([spend(payload), spend(payload), spend(payload)])).filter(Boolean)).toHaveLength(1)
  })

  test('by approval is refused when the page that was approved was another', async () => {
    const { tenant, maria, jonas } = await people()
    const { approvalId } = await ask(tenant, maria)
    await vote(jonas, approvalId)
    const contextOf = (column: string) => contentContext('approvals', [approvalId], column)
    const cipher = await runtime().database.inTenant(tenant.id, (tx) => tenantCipher(tx, tenant.id))
    const write = (title: string) =>
      asOwner(running, 'update approvals set presentation = $1 where id = $2', [
        cipher.encryptJson({ ...presentation, title }, contextOf('presentation')),
        approvalId,
      ])
    const spend = () =>
      runtime().database.inTenant(tenant.id, (tx) => spendApproval(tx, tenant.id, approvalId, payload))
    await write('Look up an order')
    expect(await spend()).toBe(false)
    await write(presentation.title)
    expect(await spend()).toBe(true)
  })

  test('by approval of an earlier version, whose digest covers only what runs, can be spent', async () => {
    const { tenant, maria, jonas } = await people()
    const { approvalId } = await ask(tenant, maria)
    const earlier = { ...payload, salt: 'c2FsdA' }
    const cipher = await runtime().database.inTenant(tenant.id, (tx) => tenantCipher(tx, tenant.id))
    await asOwner(running, 'update approvals set payload = $1, payload_digest = $2 where id = $3', [
      cipher.encryptJson(earlier, contentContext('approvals', [approvalId], 'payload')),
      payloadDigestOf(earlier),
      approvalId,
    ])
    expect(await read(jonas, approvalId)).toMatchObject({ contentDigest: null })
    await vote(jonas, approvalId)
    expect(
      await runtime().database.inTenant(tenant.id, (tx) => spendApproval(tx, tenant.id, approvalId, payload)),
    ).toBe(true)
  })
})

test('approvals.list filters by status or by decided, in pages', async () => {
  const { tenant, maria, jonas } = await people()
  const ids: string[] = []
  for (let count = 0; count < 3; count++) ids.push((await ask(tenant, maria)).approvalId)
  const [one = '', two = '', three = ''] = ids
  for (const [approvalId, decision] of [
    [one, 'approve'],
    [two, 'reject'],
  ] as const)
    await execute(
      decide,
      jonas,
      { approvalId, decision, decisionAcknowledged: true, reason: 'Read.' },
      { name: 'test' },
    )
  const listed = async (input: object) => {
    const page = await execute(list, jonas, input, { name: 'test' })
    return { ids: page.items.map(({ approvalId }) => approvalId), next: page.nextCursor }
  }
  expect(await listed({})).toEqual({ ids: [three, two, one], next: null })
  expect(await listed({ view: 'decided' })).toEqual({ ids: [two, one], next: null })
  expect(await listed({ view: 'decided', limit: 1 })).toEqual({ ids: [two], next: two })
  expect(await listed({ view: 'decided', limit: 1, cursor: two })).toEqual({ ids: [one], next: null })
  expect(await listed({ status: 'rejected' })).toEqual({ ids: [two], next: null })
  expect(await listed({ status: 'pending', view: 'decided' })).toEqual({ ids: [], next: null })
})
