import { expect, test } from 'vitest'
import { changesOf } from './topics.ts'

/** What a record changes in addition to the log, as `topic` for any of its objects and `topic/id` for one. */
const record = (action: string, resourceType: string, approvalId: string | null = null): string[] => {
  const changes = changesOf({
    date: '2026-11-22',
    seq: 0,
    auditId: 'record',
    action,
    actorId: 'someone',
    resourceType,
    resourceId: 'one',
    approvalId,
  }).map(({ topic, id }) => (id === null ? topic : `${topic}/${id}`))
  expect(changes.shift()).toBe('audit/record')
  return changes
}
const whoMay = ['approvals', 'standingGrants', 'serviceAccounts', 'connectionTokens']

test.each([
  ['approval.approve', 'approval', ['approvals/one']],
  ['mail.failed', 'mail', ['mails/one', 'inputs']],
  ['input.requested', 'execution', ['executions/one', 'inputs']],
  ['execution.started', 'execution', ['executions/one']],
  ['execution.canceled', 'execution', ['executions/one', 'inputs']],
  ['delegation.created', 'delegation', ['delegations/one', 'approvals']],
  ['member.roles_set', 'member', ['members/one', ...whoMay]],
  ['access_change.approved', 'access_change', ['members/one', ...whoMay]],
  ['group.members_set', 'group', ['groups/one', 'approvals', 'standingGrants']],
  ['provider_group.updated', 'provider_group', ['groups', 'approvals', 'standingGrants']],
  ['passkey.registered', 'passkey', ['members', 'approvals']],
  ['passkey.confirmation_begun', 'passkey', []],
  ['tenant.settings_updated', 'tenant', ['tenants/one', 'approvals']],
  ['agent.registered', 'agent', ['agents/one']],
  ['agent.resumed', 'agent', ['agents/one', 'executions', 'approvals', 'inputs', 'standingGrants']],
  ['release.activated', 'release', ['releases/one', 'agents', 'standingGrants']],
  ['release.withdrawn', 'release', ['releases/one', 'agents', 'standingGrants', 'approvals']],
  ['policy_binding.activated', 'policy_binding', ['policyBindings/one', 'releases', 'standingGrants']],
  ['policy_binding.withdrawn', 'policy_binding', ['policyBindings/one', 'releases', 'standingGrants', 'approvals']],
  ['standing_grant.used', 'standing_grant', ['standingGrants/one']],
  ['standing_grant.withdrawn', 'standing_grant', ['standingGrants/one', 'approvals']],
  ['alarm.raised', 'alarm', ['alarms/one']],
  ['notification.failed', 'notification', ['notifications/one']],
  ['notification_channel.created', 'notification_channel', ['notifications/one']],
  ['audit_log.integrity_failed', 'audit_log', ['alarms/record']],
  ['approval.approve.refused', 'approval', []],
  ['state.recorded', 'tenant', []],
  ['state.recorded', 'approval', ['approvals/one']],
  ['log.key_rotated', 'log_key', []],
])('%s of %s', (action, resourceType, affected) => {
  expect(record(action, resourceType)).toEqual(affected)
})

test.each([
  ['tool.called', 'execution', ['executions/one']],
  ['policy.evaluated', 'policy_decision', []],
  ['policy.approval_requested', 'policy_decision', ['approvals']],
])('%s that names an approval changes it', (action, resourceType, own) => {
  expect(record(action, resourceType, 'spent')).toEqual(['approvals/spent', ...own])
  expect(record(`${action}.refused`, resourceType, 'spent')).toEqual([])
})

test.each([
  ['policy.evaluated', 'policy_decision'],
  ['policy.approval_requested', 'policy_decision'],
  ['secret.value_used', 'secret'],
  ['secret.value_read', 'secret'],
  ['secret.read', 'secret'],
  ['resource.read', 'agent'],
  ['prompt.read', 'agent'],
])('%s, written at calls of agents, changes nothing that a page shows', (action, resourceType) => {
  expect(record(action, resourceType)).toEqual([])
})
