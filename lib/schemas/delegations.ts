import { z } from 'zod'
import { Actor, Id, PageInput, page, Reason, Revision, Time } from './common.ts'

/** One approver decides in place of another from `from` until `until`. */
export const Delegation = z.object({
  id: Id,
  /** The absent approver. */
  delegator: Actor,
  /** The approver who decides instead. */
  delegate: Actor,
  from: Time,
  until: Time,
  reason: z.string(),
  status: z.enum(['planned', 'active', 'over', 'ended']),
  endedAt: Time.nullable(),
  revision: Revision,
})
export type Delegation = z.infer<typeof Delegation>

export const CreateDelegationInput = z.strictObject({
  /** Id, user name or e-mail address of the approver who decides in the caller's place. */
  delegate: z.string().trim().min(1).max(254),
  /** Default: now. */
  from: Time.optional(),
  until: Time,
  reason: Reason,
})
export const EndDelegationInput = z.strictObject({ id: Id, expectedRevision: Revision.optional() })
export const DelegationOutput = z.object({ delegation: Delegation })
/** `decidesAnyway`: the delegate is in each group of the delegator now, so that the delegation changes nothing for the time being. */
export const CreateDelegationOutput = DelegationOutput.extend({ decidesAnyway: z.literal(true).optional() })
export const ListDelegationsInput = z.strictObject({ ...PageInput, mine: z.boolean().default(false) })
export const DelegationList = page(Delegation)
