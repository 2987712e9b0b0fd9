import type { JsonObject } from '#lib/json.ts'
import type { ChannelKind } from '#lib/schemas/notifications/channel-address.ts'

import { oneLine } from '#server/mail/one-line.ts'
import type { Described } from './describe.ts'

export type Message = {
  event: string
  /** ISO 8601. */
  at: string
  tenant: string
  /** External id. */
  tenantId: string
  about: Omit<Described, 'path'> & { link: string }
}

const headings: Readonly<Record<string, string>> = {
  'approval.requested': 'Decision requested',
  'approval.reminded': 'Not decided yet',
  'approval.escalated': 'Escalated',
  'approval.decided': 'Decided',
  'approval.expired': 'Expired',
  'execution.failed': 'Execution failed',
  'agent.suspended': 'Agent suspended',
  'alarm.raised': 'Alarm',
  'export.ready': 'Export ready',
  test: 'Test',
}

/** The body that each kind of channel expects that is posted to. */
export function bodyOf(kind: Exclude<ChannelKind, 'mail'>, message: Message): JsonObject {
  switch (kind) {
    case 'webhook':
      return webhookOf(message)
    case 'slack':
      return slackOf(message)
    case 'teams':
      return teamsOf(message)
  }
}

/** The same as a mail. The link is a line of its own. `channel`: its name, so that a person knows why the mail came. */
export function mailOf(message: Message, channel: string): { subject: string; text: string } {
  const { event, about } = message
  const heading = `${headingOf(event)}: ${oneLine(about.title)}`
  const facts = factsOf(message).map(([label, value]) => `${label}: ${oneLine(value)}`)
  return {
    subject: clipped(heading, 200),
    text: [
      heading,
      facts.join('\n'),
      about.link,
      `The channel ${oneLine(channel)} of ${oneLine(message.tenant)} in Countersign sends this. Nothing can be decided by mail.`,
    ].join('\n\n'),
  }
}

/** docs/notifications.md has the members by event. */
const webhookOf = ({ event, at, tenant, tenantId, about: { ids, ...about } }: Message): JsonObject => ({
  type: event,
  timestamp: at,
  data: { tenant, tenantId, ...ids, ...about },
})

const headingOf = (event: string): string => headings[event] ?? event

/** Label and value of each fact. */
const factsOf = ({ tenant, about: { risk, requestedBy, digest } }: Message): [string, string][] =>
  [
    ['Risk', risk],
    ['Requested by', requestedBy],
    ['Digest', digest],
    ['Organisation', tenant],
  ].filter((fact): fact is [string, string] => fact[1] !== undefined)

/** The text of a notification on a telephone, in which Slack escapes three characters. */
const escaped = (text: string): string =>
  oneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function slackOf(message: Message): JsonObject {
  const { event, about } = message
  const facts = factsOf(message).map(([label, value]) => `${label}: ${oneLine(value)}`)
  const text = `${headingOf(event)}: ${escaped(about.title)}`
  return {
    text,
    blocks: [
      {
        type: 'section',
        text: { type: 'plain_text', text: clipped(`${headingOf(event)}: ${oneLine(about.title)}`, 2900) },
      },
      { type: 'context', elements: [{ type: 'plain_text', text: clipped(facts.join(' · '), 2900) }] },
      {
        type: 'actions',
        elements: [{ type: 'button', text: { type: 'plain_text', text: 'Open in Countersign' }, url: about.link }],
      },
    ],
  }
}

/** An Adaptive Card, as a Workflows webhook of Teams takes it. Its text is Markdown, so the title's markup is escaped. */
function teamsOf(message: Message): JsonObject {
  const { event, about } = message
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            { type: 'TextBlock', text: headingOf(event), weight: 'Bolder', size: 'Medium' },
            { type: 'TextBlock', text: plain(about.title), wrap: true },
            {
              type: 'FactSet',
              facts: factsOf(message).map(([title, value]) => ({ title, value: plain(value) })),
            },
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open in Countersign', url: about.link }],
        },
      },
    ],
  }
}

const plain = (text: string): string => clipped(oneLine(text), 1000).replace(/[\\`*_{}[\]()#+!|<>~-]/g, '\\$&')
const clipped = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`
