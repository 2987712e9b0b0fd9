import { expect, test } from 'vitest'
import { changesOf } from './topics.ts'

const record = (action: string, resourceType: string) =>
  changesOf({
    date: '2026-11-22',
    seq: 0,
    auditId: 'record',
    action,
    actorId: 'someone',
    resourceType,
    resourceId: 'one',
  }).map(({ topic, id }) => [topic, id])

test.each([
  ['approval.approve', 'approval', [['approvals', 'one']]],
  [
    'mail.failed',
    'mail',
    [
      ['mails', 'one'],
      ['inputs', null],
    ],
  ],
  [
    'input.requested',
    'execution',
    [
      ['executions', 'one'],
      ['inputs', null],
    ],
  ],
  [
    'delegation.created',
    'delegation',
    [
      ['delegations', 'one'],
      ['approvals', null],
    ],
  ],
  ...(
    [
      ['member.roles_set', 'member', 'members'],
      ['access_change.approved', 'access_change', 'members'],
      ['group.members_set', 'group', 'groups'],
      ['tenant.settings_updated', 'tenant', 'tenants'],
    ] as const
  ).map(
    ([action, type, topic]) =>
      [
        action,
        type,
        [
          [topic, 'one'],
          ['approvals', null],
        ],
      ] as const,
  ),
  ['agent.registered', 'agent', [['agents', 'one']]],
  ['alarm.raised', 'alarm', [['alarms', 'one']]],
  ['notification.failed', 'notification', [['notifications', 'one']]],
  ['notification_channel.created', 'notification_channel', [['notifications', 'one']]],
  ['audit_log.integrity_failed', 'audit_log', [['alarms', 'record']]],
  [
    'agent.resumed',
    'agent',
    [
      ['agents', 'one'],
      ['executions', null],
      ['approvals', null],
      ['inputs', null],
    ],
  ],
  ['approval.approve.refused', 'approval', []],
  ['state.recorded', 'tenant', []],
  ['state.recorded', 'approval', [['approvals', 'one']]],
  ['log.key_rotated', 'log_key', []],
] as const)('%s changes the log and what it affects', (action, resourceType, affected) => {
  expect(record(action, resourceType)).toEqual([['audit', 'record'], ...affected])
})
