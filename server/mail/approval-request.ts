import { approvalPath } from '#lib/paths.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { queueMail } from './queue-mail.ts'

/** A group may be large. The inbox lists every request; the mail is only a notification. */
const mostRecipients = 50

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
    /** An earlier group escalated the request to these people. */
    escalated: boolean
    people: readonly { id: string; email: string | null }[]
  },
): Promise<void> {
  const { approvalId, title, agentName, environment, expiresAt, escalated, people } = request
  const url = new URL(approvalPath(tenant.slug, approvalId), runtime().config.baseUrl).href
  const about = [
    agentName === undefined ? undefined : `Agent: ${oneLine(agentName)}`,
    environment === null ? undefined : `Environment: ${oneLine(environment)}`,
    escalated ? 'Escalated to you by the first reviewers.' : undefined,
    `Decide by: ${expiresAt.toISOString()}`,
  ].filter((line) => line !== undefined)
  const body = `${oneLine(title)}\n\n${about.join('\n')}\n\nReview and decide:\n${url}\n\nYou receive this mail because you are in an approver group of ${tenant.displayName}.\n`
  for (const { id, email } of people.slice(0, mostRecipients))
    if (email !== null)
      await queueMail(tx, tenant, {
        kind: 'approval_request',
        subjectId: approvalId,
        memberId: id,
        recipient: email,
        subject: `${escalated ? 'Escalated to you' : 'Decision requested'}: ${title}`,
        body,
      })
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
