import { executionPath } from '#lib/paths.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { languageOf } from '#server/languages/languages-of.ts'
import { addressOf } from '#server/mail/address.ts'
import type { OnDelivery } from '#server/mail/delivery-changes.ts'
import { queueMail } from '#server/mail/queue-mail.ts'
import { retryMail } from '#server/mail/retry.ts'
import type { StillWanted } from '#server/mail/still-wanted.ts'
import { findMailsAbout } from '#server/mail/store.ts'
import { mailTime, mailWords } from '#server/mail/words/words.ts'
import { findMemberByName } from '#server/tenants/store.ts'
import type { OnRetry } from './listeners.ts'
import { insertMailResolution, setDelivery } from './mail-store.ts'
import { findResolution } from './resolution-store.ts'

const noMember = 'Not an active member of the tenant.'

/**
 * Asks a member by mail for the input of a wait, in the transaction that opens the wait. Only active members get mail, so that a
 * manifest can't send mail to arbitrary addresses; any other recipient is shown as a failed resolution.
 */
export async function askByMail(
  tx: Transaction,
  tenant: Tenant,
  wait: { waitId: string; executionId: string; input: string; ask: string; agentName: string; expiresAt: Date },
): Promise<void> {
  const { waitId, executionId, input, ask, agentName, expiresAt } = wait
  const id = newId()
  await insertMailResolution(tx, { tenantId: tenant.id, id, waitId, recipient: ask })
  const member = await findMemberByName(tx, tenant.id, ask)
  if (member === undefined)
    return await setDelivery(tx, tenant.id, id, {
      delivery: 'failed',
      error: noMember,
    })
  const url = addressOf(executionPath(tenant.externalId, executionId), tenant)
  const language = await languageOf(tx, tenant, member.id)
  const queued = await queueMail(tx, tenant, {
    kind: 'input_request',
    subjectId: id,
    memberId: member.id,
    recipient: ask,
    language,
    ...mailWords[language].waiting({ agent: agentName, input, until: mailTime(language, expiresAt), url }),
  })
  if (queued.delivery === 'failed') await setDelivery(tx, tenant.id, id, queued)
}

/** Copies the delivery of the mail to its resolution, in the same transaction. */
export const askDelivered: OnDelivery = (tx, tenant, { subjectId, delivery, error }) =>
  setDelivery(tx, tenant.id, subjectId, { delivery, error })

/** The execution still waits for the input. */
export const askStillWanted: StillWanted = async (tx, tenant, { subjectId }) =>
  (await findResolution(tx, tenant.id, subjectId))?.waitStatus === 'open'

/** Sends the mail again after a person retried it. */
export const askAgain: OnRetry = async (tx, tenantId, resolutionId) => {
  const mail = (await findMailsAbout(tx, tenantId, resolutionId)).at(-1)
  if (mail !== undefined) await retryMail(tx, { id: tenantId }, mail.id)
  else await setDelivery(tx, tenantId, resolutionId, { delivery: 'failed', error: noMember })
}
