import { type Delivery, MailKind } from '#lib/schemas/mail.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { endsWhenCut } from '#server/kernel/jobs/when-cut.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { tellDelivery } from './delivery-changes.ts'
import { htmlOf } from './html.ts'
import { senderName } from './one-line.ts'
import { mailQueue } from './queue-mail.ts'
import { type Outcome, patience, send } from './send.ts'
import { isStillWanted } from './still-wanted.ts'
import { findMail, setGivenUp, setInFlight, setSettled } from './store.ts'

/** Seconds until the next attempt, by the attempts that were made; then the last one again. */
const pauses = [30, 120, 600, 1800, 3600, 7200, 14_400]
/** Since the mail was written. */
const longestMs = 24 * 3_600_000

const noPurpose = 'Not sent again: its link was used or replaced, or its request has ended.'

/**
 * Sends mail, one attempt per job. What failed for the moment is tried again by a later job. A mail that a dead worker was sending has an
 * unknown outcome until a person retries it.
 */
export const mailing = endsWhenCut({
  queue: mailQueue,
  concurrency: 4,
  run: ({ tenantId, id }) => deliver(tenantId, id),
})

async function deliver(tenantId: string, id: string): Promise<void> {
  const { config, cut, database, log } = runtime()
  const claimed = await database.inTenant(tenantId, async (tx) => {
    const mail = await claim(tx, tenantId, id)
    return mail && { mail, sender: senderName(await tenantById(tx, tenantId)) }
  })
  if (claimed === undefined) return
  const { mail, sender } = claimed
  const outcome: Outcome =
    config.smtpUrl === undefined
      ? { delivery: 'failed', error: 'not configured' }
      : await send(
          config.smtpUrl,
          {
            from: { name: sender, address: config.mailFrom },
            to: mail.recipient,
            subject: mail.subject,
            text: mail.body,
            html: htmlOf(mail.body, config.baseUrl, mail.language),
            messageId: `<${mail.id}.${mail.attempts}@${new URL(config.baseUrl).hostname}>`,
          },
          patience,
          cut,
        )
  if (outcome.delivery !== 'delivered')
    log.warn({ tenantId, mailId: id, ...outcome, detail: outcome.detail?.slice(0, 500) }, 'a mail was not delivered')
  await database.inTenant(tenantId, (tx) => settle(tx, tenantId, mail, outcome))
}

type Mail = NonNullable<Awaited<ReturnType<typeof findMail>>>

/** pending → in_flight, with what is sent. Settles what an ended process was sending, and what has lost its purpose since it was tried. */
async function claim(tx: Transaction, tenantId: string, id: string): Promise<Mail | undefined> {
  const found = await findMail(tx, tenantId, id)
  if (found?.delivery === 'in_flight') {
    await settle(tx, tenantId, found, {
      delivery: 'unknown',
      error: 'The sending process ended before the mail server confirmed delivery.',
    })
    return undefined
  }
  if (found?.delivery === 'pending' && found.attempts > 0 && !(await isWanted(tx, tenantId, found))) {
    const given = await setGivenUp(tx, tenantId, id, noPurpose)
    if (given !== undefined) await record(tx, tenantId, given, { delivery: 'failed', error: noPurpose })
    return undefined
  }
  const claimed = await setInFlight(tx, tenantId, id)
  if (claimed !== undefined) await tell(tx, tenantId, claimed, { delivery: 'in_flight', error: null })
  return claimed
}

const isWanted = async (tx: Transaction, tenantId: string, { id, kind, subjectId }: Mail): Promise<boolean> =>
  isStillWanted(MailKind.parse(kind), tx, await tenantById(tx, tenantId), { mailId: id, subjectId })

async function settle(tx: Transaction, tenantId: string, mail: Mail, outcome: Outcome): Promise<void> {
  const { delivery, error } = outcome
  const leftMs = mail.createdAt.getTime() + longestMs - (await databaseClock(tx))().getTime()
  const repeats = outcome.delivery === 'failed' && outcome.isTemporary === true && leftMs > 0
  const next = repeats ? ({ delivery: 'pending', error } as const) : ({ delivery, error } as const)
  const settled = await setSettled(tx, tenantId, mail.id, mail.attempts, next)
  if (settled === undefined) return
  if (repeats) {
    const pause = pauses[Math.min(mail.attempts, pauses.length) - 1] ?? 30
    // The last attempt is at the end of the day, not after it.
    const seconds = Math.max(1, Math.min(pause, Math.floor(leftMs / 1000)))
    await runtime().queue.enqueue(tx, mailQueue, { tenantId, id: mail.id }, { seconds })
  }
  await record(tx, tenantId, settled, next, { delivery, error })
}

/** Writes the outcome of an attempt, also of one that is repeated, and tells the subject what the mail is now. */
async function record(
  tx: Transaction,
  tenantId: string,
  mail: Mail,
  now: { delivery: Delivery; error: string | null },
  { delivery, error } = now,
): Promise<void> {
  await tell(tx, tenantId, mail, now)
  await appendAudit(tx, await tenantById(tx, tenantId), {
    actor: systemActor,
    action: `mail.${delivery}`,
    resource: { type: 'mail', id: mail.id },
    details: {
      kind: mail.kind,
      subjectId: mail.subjectId,
      attempt: mail.attempts,
      ...(error === null ? {} : { error }),
      ...(now.delivery === 'pending' ? { triedAgain: true } : {}),
    },
  })
}

async function tell(
  tx: Transaction,
  tenantId: string,
  { id, kind, subjectId }: Mail,
  change: { delivery: Delivery; error: string | null },
): Promise<void> {
  const tenant = await tenantById(tx, tenantId)
  await tellDelivery(MailKind.parse(kind), tx, tenant, { mailId: id, subjectId, ...change })
}
