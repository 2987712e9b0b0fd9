import { MailKind } from '#lib/schemas/mail.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { tellDelivery } from './delivery-changes.ts'
import { htmlOf } from './html.ts'
import { mailQueue } from './queue-mail.ts'
import { type Outcome, patience, send } from './send.ts'
import { findMail, setInFlight, setSettled } from './store.ts'

/**
 * Sends mail, one attempt per job. A mail that a dead worker was sending has an unknown outcome until a person retries
 * it.
 */
export const mailing: JobHandler = {
  queue: mailQueue,
  concurrency: 4,
  run: ({ tenantId, id }) => deliver(tenantId, id),
}

async function deliver(tenantId: string, id: string): Promise<void> {
  const { config, database, log } = runtime()
  const mail = await database.inTenant(tenantId, async (tx) => {
    const claimed = await setInFlight(tx, tenantId, id)
    if (claimed !== undefined) {
      await tell(tx, tenantId, claimed, { delivery: 'in_flight', error: null })
      return claimed
    }
    const found = await findMail(tx, tenantId, id)
    if (found?.delivery === 'in_flight')
      await settle(tx, tenantId, found, {
        delivery: 'unknown',
        error: 'The sending process ended before the mail server confirmed delivery.',
      })
    return undefined
  })
  if (mail === undefined) return
  const outcome: Outcome =
    config.smtpUrl === undefined
      ? { delivery: 'failed', error: 'not configured' }
      : await send(
          config.smtpUrl,
          {
            from: config.mailFrom,
            to: mail.recipient,
            subject: mail.subject,
            text: mail.body,
            html: htmlOf(mail.body, config.baseUrl, mail.language),
            messageId: `<${mail.id}.${mail.attempts}@${new URL(config.baseUrl).hostname}>`,
          },
          patience,
        )
  const { detail, ...settled }: Outcome & { detail?: string | undefined } = outcome
  if (settled.delivery !== 'delivered')
    log.warn({ tenantId, mailId: id, ...settled, detail: detail?.slice(0, 500) }, 'a mail was not delivered')
  await database.inTenant(tenantId, (tx) => settle(tx, tenantId, mail, settled))
}

type Mail = NonNullable<Awaited<ReturnType<typeof findMail>>>

async function settle(tx: Transaction, tenantId: string, mail: Mail, outcome: Outcome): Promise<void> {
  const settled = await setSettled(tx, tenantId, mail.id, mail.attempts, outcome)
  if (settled === undefined) return
  await tell(tx, tenantId, settled, outcome)
  await appendAudit(tx, await tenantById(tx, tenantId), {
    actor: systemActor,
    action: `mail.${outcome.delivery}`,
    resource: { type: 'mail', id: mail.id },
    details: {
      kind: mail.kind,
      subjectId: mail.subjectId,
      attempt: mail.attempts,
      ...(outcome.error === null ? {} : { error: outcome.error }),
    },
  })
}

async function tell(
  tx: Transaction,
  tenantId: string,
  { id, kind, subjectId }: Mail,
  change: Outcome | { delivery: 'in_flight'; error: null },
): Promise<void> {
  const tenant = await tenantById(tx, tenantId)
  await tellDelivery(MailKind.parse(kind), tx, tenant, { mailId: id, subjectId, ...change })
}
