import type { ChannelKind } from '#lib/schemas/notifications/channel-address.ts'
import type { NotificationDelivery, NotificationEvent } from '#lib/schemas/notifications/channels.ts'

export const eventWords: Readonly<Record<NotificationEvent, string>> = {
  'approval.requested': 'A decision is requested',
  'approval.reminded': 'Reviewers are reminded',
  'approval.escalated': 'A request is escalated',
  'approval.decided': 'A request is decided',
  'approval.expired': 'A request expires',
  'execution.failed': 'An execution fails',
  'agent.suspended': 'An agent is suspended',
  'alarm.raised': 'An alarm is raised',
  'export.ready': 'An evidence archive is ready',
}

/** What a channel can report, in the order of the page. */
export const channelEvents = Object.keys(eventWords) as readonly NotificationEvent[]

export const wordsOf = (event: NotificationDelivery['event']): string =>
  event === 'test' ? 'Test message' : eventWords[event]

export const kindWords: Readonly<Record<ChannelKind, string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  teams: 'Teams',
  mail: 'Mail',
}
