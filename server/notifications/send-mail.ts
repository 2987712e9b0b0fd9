import { runtime } from '#server/kernel/runtime.ts'
import { htmlOf } from '#server/mail/html.ts'
import { patience, send } from '#server/mail/send.ts'
import type { DeliveryRow } from './delivery-store.ts'
import type { Outcome } from './post.ts'

/** Sends a message as a mail, once. No answer after it was transmitted is unknown: a person may have it. */
export async function sendMail(
  to: string,
  { subject, text }: { subject: string; text: string },
  { id, attempts }: Pick<DeliveryRow, 'id' | 'attempts'>,
): Promise<Outcome> {
  const { config, cut, log } = runtime()
  const { smtpUrl, mailFrom: address, baseUrl } = config
  if (smtpUrl === undefined) return { delivery: 'failed', error: 'No mail server is configured (SMTP_URL).' }
  const messageId = `<${id}.${attempts}@${new URL(baseUrl).hostname}>`
  const outcome = await send(
    smtpUrl,
    { from: { name: 'Countersign', address }, to, subject, text, html: htmlOf(text, baseUrl, 'en'), messageId },
    patience,
    cut,
  )
  if (outcome.delivery === 'delivered') return outcome
  log.warn({ deliveryId: id, detail: outcome.detail?.slice(0, 500) }, 'a mail of a channel was not delivered')
  return { delivery: outcome.isTemporary === true ? 'again' : outcome.delivery, error: outcome.error }
}
