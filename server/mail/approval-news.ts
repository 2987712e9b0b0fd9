import { approvalPath } from '#lib/paths.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { addressOf } from './address.ts'
import { oneLine } from './one-line.ts'
import { queueMail } from './queue-mail.ts'

/** What happened to a request that a person made, or asked about. */
export type News = 'asked' | 'answered' | 'changes_requested'

const words: Readonly<Record<News, { subject: string; line: string; because: string }>> = {
  asked: {
    subject: 'A reviewer asks',
    line: 'A reviewer has a question about this request.',
    because: 'you made this request, or count as the person who did',
  },
  answered: {
    subject: 'Your question was answered',
    line: 'Your question about this request was answered.',
    because: 'you asked about this request',
  },
  changes_requested: {
    subject: 'Changes requested',
    line: 'A reviewer ended this request and wants other arguments. You can propose them on its page.',
    because: 'you made this request, or count as the person who did',
  },
}

/** Tells people by mail, which contains neither the question nor the arguments of the call. */
export async function mailNews(
  tx: Transaction,
  tenant: Tenant,
  about: { approvalId: string; title: string; news: News; people: readonly { id: string; email: string | null }[] },
): Promise<void> {
  const { approvalId, title, news, people } = about
  const { subject, line, because } = words[news]
  const url = addressOf(approvalPath(tenant.externalId, approvalId), tenant)
  for (const { id, email } of people)
    if (email !== null)
      await queueMail(tx, tenant, {
        kind: 'approval_request',
        subjectId: approvalId,
        memberId: id,
        recipient: email,
        subject: `${subject}: ${title}`,
        body: `${oneLine(title)}\n\n${line}\n\nOpen it:\n${url}\n\nYou receive this mail because ${because}, in ${tenant.displayName}.\n`,
      })
}
