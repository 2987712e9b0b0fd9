import { approvalPath } from '#lib/paths.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { queueMail } from './queue-mail.ts'

/** A group may be large; the inbox has everything, the mail only calls. */
const mostRecipients = 50

/**
 * Tells the people who could decide that they are asked. The mail says what it is about and where to decide; it holds no
 * arguments, and nothing can be decided by answering it.
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
    /** Others were asked first, and gave it to these people. */
    escalated: boolean
    people: readonly { id: string; email: string | null }[]
  },
): Promise<void> {
  const { approvalId, title, agentName, environment, expiresAt, escalated, people } = request
  const url = new URL(approvalPath(tenant.slug, approvalId), runtime().config.baseUrl).href
  const about = [
    agentName === undefined ? undefined : `Agent: ${oneLine(agentName)}`,
    environment === null ? undefined : `Environment: ${oneLine(environment)}`,
    escalated ? 'Escalated: those who were asked first gave it to you.' : undefined,
    `Decide before: ${expiresAt.toISOString()}`,
  ].filter((line) => line !== undefined)
  const body = `${oneLine(title)}\n\n${about.join('\n')}\n\nRead it and decide:\n${url}\n\nYou get this because you are in a group that decides for ${tenant.displayName}.\n`
  for (const { id, email } of people.slice(0, mostRecipients))
    if (email !== null)
      await queueMail(tx, tenant, {
        kind: 'approval_request',
        subjectId: approvalId,
        memberId: id,
        recipient: email,
        subject: `${escalated ? 'Escalated to you' : 'To decide'}: ${title}`,
        body,
      })
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
