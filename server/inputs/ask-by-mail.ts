import { executionPath } from '#lib/paths.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { OnDelivery } from '#server/mail/delivery-changes.ts'
import { queueMail } from '#server/mail/queue-mail.ts'
import { retryMail } from '#server/mail/retry.ts'
import { findMailsAbout } from '#server/mail/store.ts'
import { findMemberByName } from '#server/tenants/store.ts'
import type { OnRetry } from './listeners.ts'
import { insertMailResolution, setDelivery } from './mail-store.ts'

const noMember = 'This is no active member of the tenant.'

/**
 * Asks a member for the input that a wait needs, in the transaction that opens the wait. Only an active member gets mail:
 * a manifest can't send to the world. Whoever is no member is a resolution that failed, for people to see.
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
  const url = new URL(executionPath(tenant.slug, executionId), runtime().config.baseUrl).href
  const queued = await queueMail(tx, tenant, {
    kind: 'input_request',
    subjectId: id,
    memberId: member.id,
    recipient: ask,
    subject: `${agentName} waits for “${input}”`,
    body: `${agentName} waits for the input “${input}”.\n\nIt waits until: ${expiresAt.toISOString()}\n\nSee what it is about, and answer:\n${url}\n`,
  })
  if (queued.delivery === 'failed') await setDelivery(tx, tenant.id, id, queued)
}

/** What becomes of the mail is what becomes of its resolution, in the same transaction. */
export const askDelivered: OnDelivery = (tx, tenant, { subjectId, delivery, error }) =>
  setDelivery(tx, tenant.id, subjectId, { delivery, error })

/** A person had it sent again. */
export const askAgain: OnRetry = async (tx, tenantId, resolutionId) => {
  const mail = (await findMailsAbout(tx, tenantId, resolutionId)).at(-1)
  if (mail !== undefined) await retryMail(tx, { id: tenantId }, mail.id)
  else await setDelivery(tx, tenantId, resolutionId, { delivery: 'failed', error: noMember })
}
