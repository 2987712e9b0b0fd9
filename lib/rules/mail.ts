import type { Delivery } from '#lib/schemas/mail.ts'

/**
 * Why a caller of this kind may not send a message again, or undefined. A message with an unknown outcome may have arrived, so
 * sending it again is a person's decision: done by a service account, it would be the system's.
 */
export const whyNotSendAgain = (delivery: Delivery, kind: 'person' | 'service_account' | 'api_key') =>
  delivery === 'unknown' && kind !== 'person'
    ? 'The message may have arrived, so only a person can send it again.'
    : undefined
