import type { Delivery } from '#lib/schemas/mail.ts'

/**
 * Why a caller of this kind may not have a message sent again, or undefined. What nobody knows may have arrived: sending it
 * again is a person's judgement, and a service account that does so by itself would be the system doing it.
 */
export const whyNotSendAgain = (delivery: Delivery, kind: 'person' | 'service_account' | 'api_key') =>
  delivery === 'unknown' && kind !== 'person'
    ? 'Nobody knows whether it arrived: a person decides whether it is sent again.'
    : undefined
