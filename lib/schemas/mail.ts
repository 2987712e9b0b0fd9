import { z } from 'zod'

/** `unknown`: the message was handed over and no answer came. The product never sends it again by itself. */
export const Delivery = z.enum(['pending', 'in_flight', 'delivered', 'failed', 'unknown'])
export type Delivery = z.infer<typeof Delivery>

export const MailKind = z.enum(['approval_request', 'input_request'])
export type MailKind = z.infer<typeof MailKind>
