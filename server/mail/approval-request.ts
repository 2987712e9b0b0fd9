import { approvalPath } from '#lib/paths.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { addressOf } from './address.ts'
import { oneLine } from './one-line.ts'
import { queueMail } from './queue-mail.ts'

/** Each mail is written in the transaction of the request. The inbox lists every request. */
const mostRecipients = 1000

/** `staged`: the people of the stage before have approved. `overdue`: escalated by itself. */
export type Occasion = 'requested' | 'staged' | 'escalated' | 'overdue' | 'reminded'

const subjects: Readonly<Record<Occasion, string>> = {
  requested: 'Decision requested',
  staged: 'Decision requested',
  escalated: 'Escalated to you',
  overdue: 'Escalated to you',
  reminded: 'Reminder',
}
const whyNow: Readonly<Record<Occasion, string | undefined>> = {
  requested: undefined,
  staged: 'The reviewers before you have approved.',
  escalated: 'Escalated to you by the first reviewers.',
  overdue: 'Escalated to you, because the first reviewers did not decide in time.',
  reminded: 'You have not decided this request yet.',
}

/**
 * Notifies the people who could decide a request. The mail names its subject and links to the decision page. It
 * contains no arguments of the call, and a reply to it has no effect.
 */
export async function mailApprovers(
  tx: Transaction,
  tenant: Tenant,
  request: {
    approvalId: string
    title: string
    agentName: string | undefined
    environment: string | null
    expiresAt: Date
    occasion: Occasion
    /** `standsInFor`: the name of the member whose delegate this person is. */
    people: readonly { id: string; email: string | null; standsInFor?: string }[]
  },
): Promise<void> {
  const { approvalId, title, agentName, environment, expiresAt, occasion, people } = request
  const url = addressOf(approvalPath(tenant.externalId, approvalId), tenant)
  const about = [
    agentName === undefined ? undefined : `Agent: ${oneLine(agentName)}`,
    environment === null ? undefined : `Environment: ${oneLine(environment)}`,
    whyNow[occasion],
    `Decide by: ${forPeople.format(expiresAt)}`,
  ].filter((line) => line !== undefined)
  const body = `${oneLine(title)}\n\n${about.join('\n')}\n\nReview and decide:\n${url}\n\n`
  const because = (standsInFor: string | undefined) =>
    standsInFor === undefined
      ? `You receive this mail because you are in an approver group of ${tenant.displayName}.\n`
      : `You receive this mail because you are the delegate of ${oneLine(standsInFor)}, who is in an approver group of ${tenant.displayName}.\n`
  for (const { id, email, standsInFor } of people.slice(0, mostRecipients))
    if (email !== null)
      await queueMail(tx, tenant, {
        kind: 'approval_request',
        subjectId: approvalId,
        memberId: id,
        recipient: email,
        subject: `${subjects[occasion]}: ${title}`,
        body: `${body}${because(standsInFor)}`,
      })
}

/** "30 November 2026 at 09:31 UTC". */
const forPeople = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' })
