import { ApiError, notFound } from '#lib/errors.ts'
import { erasedText } from '#lib/rules/erased.ts'
import { whyNotSendAgain } from '#lib/rules/mail.ts'
import { Delivery } from '#lib/schemas/mail.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { refuse } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { mailQueue } from './queue-mail.ts'
import { findMail, setPendingAgain } from './store.ts'

/**
 * Sends a mail again on a person's request: failed or unknown → pending; returns its new revision. The caller is a
 * mutation, whose audit record contains person and reason. Throws `revision_conflict` (409) if the mail is no longer at
 * `expectedRevision`, `conflict` (409) for a mail in any other state, `not_found` for an unknown mail; and
 * `machine_decision` (403) if `by` is a machine and the outcome is unknown. Without `by`, the caller has to check that
 * itself.
 */
export async function retryMail(
  tx: Transaction,
  tenant: Pick<Tenant, 'id'>,
  mailId: string,
  { expectedRevision, by }: { expectedRevision?: number; by?: Principal['kind'] } = {},
): Promise<number> {
  const mail = await findMail(tx, tenant.id, mailId)
  if (mail === undefined) throw notFound()
  if (expectedRevision !== undefined && mail.revision !== expectedRevision)
    throw new ApiError('revision_conflict', 'The mail changed after you opened it. Reload it and try again.', {
      details: { revision: mail.revision },
    })
  if (mail.recipient === '' || mail.recipient === erasedText || mail.body === erasedText)
    throw new ApiError('conflict', 'The text of this mail is no longer stored, so it can’t be sent again.')
  const blocked = by === undefined ? undefined : whyNotSendAgain(Delivery.parse(mail.delivery), by)
  if (blocked !== undefined) throw refuse('machine_decision', blocked)
  const again = await setPendingAgain(tx, tenant.id, mailId, mail.revision)
  if (again === undefined)
    throw new ApiError(
      'conflict',
      `The mail is ${mail.delivery}. Only a mail that failed or has an unknown outcome can be sent again.`,
    )
  await runtime().queue.enqueue(tx, mailQueue, { tenantId: tenant.id, id: mailId })
  return again.revision
}
