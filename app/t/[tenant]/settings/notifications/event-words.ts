import * as t from '#components/texts/settings-notifications/en.ts'
import type { ChannelKind } from '#lib/schemas/notifications/channel-address.ts'
import type { NotificationDelivery, NotificationEvent } from '#lib/schemas/notifications/channels.ts'

export const eventWords: Readonly<Record<NotificationEvent, string>> = {
  'approval.requested': t.decisionIsRequested,
  'approval.reminded': t.reviewersAreReminded,
  'approval.escalated': t.requestIsEscalated,
  'approval.decided': t.requestIsDecided,
  'approval.expired': t.requestExpires,
  'execution.failed': t.executionFails,
  'agent.suspended': t.agentIsSuspended,
  'alarm.raised': t.alarmIsRaised,
  'export.ready': t.evidenceArchiveIsReady,
}

/** What a channel can report, in the order of the page. */
export const channelEvents = Object.keys(eventWords) as readonly NotificationEvent[]

export const wordsOf = (event: NotificationDelivery['event']): string =>
  event === 'test' ? t.testMessage : eventWords[event]

export const kindWords: Readonly<Record<ChannelKind, string>> = {
  webhook: t.webhook,
  slack: t.slack,
  teams: t.teams,
  mail: t.mail,
}
