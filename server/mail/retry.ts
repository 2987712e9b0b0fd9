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
 * Sends a mail again because a person said so: failed or unknown → pending; gives its new revision. The caller is a mutation,
 * whose audit record says who and why. Throws `revision_conflict` (409) when the mail is not at `expectedRevision` any more,
 * `conflict` (409) for a mail in any other state, `not_found` for none; and `machine_decision` (403) where `by` is a machine
 * and nobody knows what became of it. Without `by` the caller has seen to that.
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
    throw new ApiError('revision_conflict', 'The mail has changed since you read it.', {
      details: { revision: mail.revision },
    })
  if (mail.recipient === '' || mail.recipient === erasedText || mail.body === erasedText)
    throw new ApiError('conflict', 'What the mail said is no longer kept: it can’t be sent again.')
  const blocked = by === undefined ? undefined : whyNotSendAgain(Delivery.parse(mail.delivery), by)
  if (blocked !== undefined) throw refuse('machine_decision', blocked)
  const again = await setPendingAgain(tx, tenant.id, mailId, mail.revision)
  if (again === undefined)
    throw new ApiError(
      'conflict',
      `The mail is ${mail.delivery}; only one that failed, or whose outcome is unknown, is sent again.`,
    )
  await runtime().queue.enqueue(tx, mailQueue, { tenantId: tenant.id, id: mailId })
  return again.revision
}
