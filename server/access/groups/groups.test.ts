import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { decide } from '#server/approvals/decide.ts'
import { get } from '#server/approvals/get.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute, type Operation } from '#server/kernel/operation.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { me } from '#server/tenants/me.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { getSettings } from '../get-settings.ts'
import { settingsHistory } from '../settings-history.ts'
import { updateSettings } from '../update-settings.ts'
import { create } from './create.ts'
import { list } from './list.ts'
import { setMembers } from './set-members.ts'

// Changes to approver groups and settings wait for another person's approval.

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
  registerDecisions()
  await running.queue.work([expiry])
})
afterAll(() => running.close())

let tenant: TestTenant
let tom: Caller
let jonas: Caller
let anna: Caller
beforeEach(async () => {
  tenant = await testTenant(running)
  tom = await tenant.as('tom', { roles: ['tenant_admin'] })
  jonas = await tenant.as('jonas', { roles: ['approver'], groups: ['change-approvers'] })
  anna = await tenant.as('anna', { roles: ['approver'] })
})

const call = <I, O>(operation: Operation<I, O>, caller: Caller, input: unknown): Promise<O> =>
  execute(operation, caller, input, { name: 'test' })
const vote = (caller: Caller, approvalId = '', decision = 'approve') =>
  call(decide, caller, { approvalId, decision, decisionAcknowledged: true, reason: 'I asked them.' })
const group = async (name: string) => {
  const found = (await call(list, tom, {})).items.find((item) => item.name === name)
  if (found === undefined) throw new Error(`unknown group ${name}`)
  return found
}
const names = async (name: string) => (await group(name)).members.map((member) => member.username)

describe('approver groups', () => {
  test('a new group is empty; its members join after another person’s approval', async () => {
    const memberIds = [anna.principal.memberId]
    const { group: made, change } = await call(create, tom, { name: 'refunds', displayName: 'Refunds', memberIds })
    expect(made).toMatchObject({ members: [], pendingApprovalId: change?.approvalId, revision: 1 })
    await vote(jonas, change?.approvalId)
    expect(await names('refunds')).toEqual(['anna'])
  })

  test('a group is not created if everyone who could approve its members would join it', async () => {
    const memberIds = [anna.principal.memberId, jonas.principal.memberId]
    await expect(call(create, tom, { name: 'refunds', displayName: 'Refunds', memberIds })).rejects.toMatchObject({
      code: 'no_eligible_approver',
    })
    expect((await call(list, tom, {})).items.map((item) => item.name)).not.toContain('refunds')
  })

  test("joining and leaving need approval, and those who would join can't decide", async () => {
    const { id, revision } = await group('change-approvers')
    const memberIds = [anna.principal.memberId]
    const { change } = await call(setMembers, tom, { id, expectedRevision: revision, memberIds, reason: 'Rotation.' })
    expect(await names('change-approvers')).toEqual(['jonas'])
    const request = await call(get, jonas, { approvalId: change?.approvalId })
    expect(request).toMatchObject({ kind: 'group_change', risk: 'critical', blocked: null })
    expect(request.presentation.effects.join(' ')).toContain('anna can decide requests')
    await vote(jonas, change?.approvalId)
    expect(await names('change-approvers')).toEqual(['anna'])
    expect(await group('change-approvers')).toMatchObject({ revision: 2, pendingApprovalId: null })
  })

  test("one change waits at a time; a request that no longer fits the group can't be approved", async () => {
    const { id } = await group('escalation')
    const ask = (memberIds: string[]) => call(setMembers, tom, { id, expectedRevision: 1, memberIds })
    const { change } = await ask([anna.principal.memberId])
    await expect(ask([anna.principal.memberId])).rejects.toMatchObject({
      code: 'conflict',
      details: { approvalId: change?.approvalId },
    })
    await running.database.inTenant(tenant.id, (tx) =>
      tx
        .updateTable('approverGroups')
        .set({ revision: 2 })
        .where('tenantId', '=', tenant.id)
        .where('id', '=', id)
        .execute(),
    )
    await expect(vote(jonas, change?.approvalId)).rejects.toMatchObject({ code: 'conflict' })
    expect(await names('escalation')).toEqual([])
    await vote(jonas, change?.approvalId, 'reject')
    await expect(ask([anna.principal.memberId])).rejects.toMatchObject({ code: 'revision_conflict' })
  })

  test('a change without effect, an unknown group, and unknown or foreign members are refused', async () => {
    const stranger = await (await testTenant(running)).as('eve', { roles: ['approver'] })
    const { id } = await group('escalation')
    const ask = (memberIds: string[], groupId = id) =>
      call(setMembers, tom, { id: groupId, expectedRevision: 1, memberIds })
    await expect(ask([])).rejects.toMatchObject({ code: 'conflict' })
    await expect(ask([], newId())).rejects.toMatchObject({ code: 'not_found' })
    for (const foreign of [stranger.principal.memberId, newId()])
      await expect(ask([foreign])).rejects.toMatchObject({ code: 'validation_failed' })
    await expect(call(create, tom, { name: 'escalation', displayName: 'x' })).rejects.toMatchObject({
      code: 'name_conflict',
    })
    await expect(call(create, jonas, { name: 'mine', displayName: 'x' })).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('tenant settings', () => {
  const current = async () => {
    const now = await running.database.inTenant(tenant.id, (tx) => tenantById(tx, tenant.id))
    const { settings, tenantRevision } = await call(me, { ...tom, tenant: now }, undefined)
    return { settings, revision: tenantRevision }
  }

  test('a weaker setting waits for change-approvers, a stronger one applies immediately', async () => {
    const weaker = await call(updateSettings, tom, {
      expectedRevision: 1,
      separationOfDuties: 'off',
      reason: 'A trial.',
    })
    expect(weaker).toMatchObject({ settings: { separationOfDuties: 'required' }, revision: 1 })
    expect((await current()).settings.separationOfDuties).toBe('required')
    const request = await call(get, jonas, { approvalId: weaker.change?.approvalId })
    expect(request).toMatchObject({ kind: 'setting_change', risk: 'critical' })
    await vote(jonas, request.approvalId)
    expect(await current()).toMatchObject({ settings: { separationOfDuties: 'off' }, revision: 2 })
    const stronger = await call(updateSettings, tom, { expectedRevision: 2, separationOfDuties: 'required' })
    expect(stronger).toMatchObject({ settings: { separationOfDuties: 'required' }, revision: 3, change: null })
    expect((await current()).settings.separationOfDuties).toBe('required')
  })

  test('the history says who changed a setting, who approved it, and from what to what', async () => {
    const vera = await tenant.as('vera', { roles: ['auditor'] })
    const { change } = await call(updateSettings, tom, {
      expectedRevision: 1,
      unmaskSecondPerson: 'required',
      machineDecisions: 'on',
      reason: 'A trial.',
    })
    const set = [{ name: 'unmaskSecondPerson', before: 'off', after: 'required' }]
    const { items } = await call(settingsHistory, vera, undefined)
    expect(items).toMatchObject([{ by: 'tom', approvedBy: [], approvalId: null, reason: 'A trial.', changes: set }])
    await vote(jonas, change?.approvalId)
    expect((await call(settingsHistory, vera, undefined)).items).toMatchObject([
      {
        by: 'tom',
        approvedBy: ['jonas'],
        approvalId: change?.approvalId,
        changes: [{ name: 'machineDecisions', before: 'off', after: 'on' }],
      },
      { changes: set },
    ])
    await expect(call(settingsHistory, jonas, undefined)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('a pending change is shown to those who manage the tenant until it is decided', async () => {
    const { change } = await call(updateSettings, tom, { expectedRevision: 1, machineDecisions: 'on' })
    expect(await call(getSettings, tom, undefined)).toMatchObject({
      settings: { machineDecisions: 'off' },
      revision: 1,
      pending: {
        approvalId: change?.approvalId,
        changes: [{ name: 'machineDecisions', before: 'off', after: 'on' }],
      },
    })
    await expect(call(getSettings, jonas, undefined)).rejects.toMatchObject({ code: 'forbidden' })
    await vote(jonas, change?.approvalId, 'reject')
    expect(await call(getSettings, tom, undefined)).toMatchObject({ pending: null })
  })

  test('of one call the safer part applies and the weaker part waits', async () => {
    const { settings, revision, change } = await call(updateSettings, tom, {
      expectedRevision: 1,
      unmaskSecondPerson: 'required',
      machineDecisions: 'on',
    })
    expect({ settings, revision }).toMatchObject({
      settings: { unmaskSecondPerson: 'required', machineDecisions: 'off' },
      revision: 2,
    })
    await vote(jonas, change?.approvalId)
    expect((await current()).settings).toMatchObject({ unmaskSecondPerson: 'required', machineDecisions: 'on' })
  })

  test('a rejected change has no effect, nor does one whose setting has changed since', async () => {
    const first = await call(updateSettings, tom, { expectedRevision: 1, retentionDays: 90 })
    await vote(jonas, first.change?.approvalId, 'reject')
    const second = await call(updateSettings, tom, { expectedRevision: 1, retentionDays: 365 })
    await running.database.inTenant(tenant.id, (tx) =>
      tx.updateTable('tenants').set({ settings: '{"retentionDays":400}' }).where('id', '=', tenant.id).execute(),
    )
    await expect(vote(jonas, second.change?.approvalId)).rejects.toMatchObject({ code: 'conflict' })
    expect((await current()).settings.retentionDays).toBe(400)
  })

  test('another revision, an empty change, and a caller without the permission are refused', async () => {
    const set = (caller: Caller, input: object) => call(updateSettings, caller, { expectedRevision: 1, ...input })
    await expect(set(tom, { expectedRevision: 7, machineDecisions: 'off' })).rejects.toMatchObject({
      code: 'revision_conflict',
      details: { revision: 1 },
    })
    await expect(set(tom, {})).rejects.toMatchObject({ code: 'conflict' })
    await expect(set(tom, { retentionDays: 1 })).rejects.toThrow()
    await expect(set(jonas, { machineDecisions: 'on' })).rejects.toMatchObject({ code: 'forbidden' })
  })
})
