import type { PersonalLanguage } from '#lib/languages.ts'
import type { Delivery, MailKind } from '#lib/schemas/mail.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { oneLine } from './one-line.ts'
import { insertMail } from './store.ts'

export const mailQueue = 'mail'

export type NewMail = {
  kind: MailKind
  /** The subject of the mail: the approval, or the resolution of a wait. */
  subjectId: string
  memberId?: string
  recipient: string
  /** Of subject and body. */
  language: PersonalLanguage
  /** Subject and body are plain text and contain nothing that the recipient may not read. */
  subject: string
  body: string
}

/**
 * Writes a mail in the transaction that causes it; a worker sends it after the commit. Without SMTP_URL it is `failed:
 * not configured` immediately. `onDelivery` of its kind is called for later changes, not for this one.
 */
export async function queueMail(
  tx: Transaction,
  tenant: Pick<Tenant, 'id'>,
  { memberId, subject, ...mail }: NewMail,
): Promise<{ mailId: string; delivery: Delivery; error: string | null }> {
  const { config, queue } = runtime()
  const mailId = newId()
  const state =
    config.smtpUrl === undefined
      ? { delivery: 'failed' as const, error: 'not configured' }
      : { delivery: 'pending' as const, error: null }
  await insertMail(tx, {
    ...mail,
    ...state,
    tenantId: tenant.id,
    id: mailId,
    memberId: memberId ?? null,
    // A header has to be a single line.
    subject: oneLine(subject).slice(0, 200).toWellFormed(),
  })
  if (state.delivery === 'pending') await queue.enqueue(tx, mailQueue, { tenantId: tenant.id, id: mailId })
  return { mailId, ...state }
}
