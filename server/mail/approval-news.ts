import { approvalPath } from '#lib/paths.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { languagesOf } from '#server/languages/languages-of.ts'
import { addressOf } from './address.ts'
import { oneLine } from './one-line.ts'
import { queueMail } from './queue-mail.ts'
import type { News } from './words/types.ts'
import { mailWords } from './words/words.ts'

/** Tells people by mail, which contains neither the question nor the arguments of the call. */
export async function mailNews(
  tx: Transaction,
  tenant: Tenant,
  about: { approvalId: string; title: string; news: News; people: readonly { id: string; email: string | null }[] },
): Promise<void> {
  const { approvalId, title, news, people } = about
  const url = addressOf(approvalPath(tenant.externalId, approvalId), tenant)
  const languageOf = await languagesOf(
    tx,
    tenant,
    people.map(({ id }) => id),
  )
  for (const { id, email } of people) {
    if (email === null) continue
    const language = languageOf(id)
    const { news: all, open } = mailWords[language]
    const { subject, line, because } = all[news]
    await queueMail(tx, tenant, {
      kind: 'approval_request',
      subjectId: approvalId,
      memberId: id,
      recipient: email,
      language,
      subject: `${subject}: ${title}`,
      body: `${oneLine(title)}\n\n${line}\n\n${open}\n${url}\n\n${because(tenant.displayName)}\n`,
    })
  }
}
