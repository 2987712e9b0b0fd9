import { z } from 'zod'
import { Time } from '../common.ts'

/** Who ended a request as canceled, as its record in the audit log names them. */
export const Canceled = z.object({
  by: z.object({
    /** `agent`, `system`: no person asked for it; the execution of the request ended by itself. */
    kind: z.enum(['person', 'service_account', 'api_key', 'agent', 'system']),
    id: z.string(),
    displayName: z.string(),
  }),
  at: Time,
  /** Of the withdrawal, or of the stop of the execution; null for other changes that ended the request. */
  reason: z.string().nullable(),
})
export type Canceled = z.infer<typeof Canceled>
