import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import { Actor, Id, PageInput, page, Time } from './common.ts'
import { RoleName } from './members.ts'

/** The client id of a service account; derived from its name, never changed. */
export const ClientId = z.string().min(1).max(80)
export const ServiceAccountStatus = z.enum(['active', 'disabled'])

export const CreateServiceAccountInput = z.strictObject({
  name: z.string().trim().min(1).max(limits.serviceAccountName),
  roles: z.array(RoleName).min(1).max(20),
})
/** `clientSecret` is shown once: a replay by Idempotency-Key leaves it out. */
export const CreateServiceAccountOutput = z.object({
  clientId: ClientId,
  clientSecret: z.string().optional(),
  name: z.string(),
  roles: z.array(z.string()),
})

/** The longest time, in days, for which an old secret may remain valid. */
export const longestOverlapDays = 30
const latestEnd = () => Date.now() + longestOverlapDays * 86_400_000

/** `notAfter` is when the current secrets expire: 24 hours from now by default, immediately if it is in the past. */
export const RotateSecretInput = z.strictObject({
  clientId: ClientId,
  notAfter: Time.refine(
    (time) => Date.parse(time) <= latestEnd(),
    `Must be at most ${longestOverlapDays} days ahead.`,
  ).optional(),
})
export const RotateSecretOutput = z.object({
  clientId: ClientId,
  clientSecret: z.string().optional(),
  /** The latest time at which the previous secrets expire. */
  notAfter: Time,
})

export const ServiceAccountInput = z.strictObject({ clientId: ClientId })
export const ServiceAccountOutput = z.object({ clientId: ClientId, status: ServiceAccountStatus })

export const ServiceAccount = z.object({
  id: Id,
  clientId: ClientId,
  name: z.string(),
  roles: z.array(z.string()),
  status: ServiceAccountStatus,
  /** The people who created it, rotated its secret or created a connection token of it; separation of duties treats them and the account as one identity. */
  sponsors: z.array(z.object({ person: Actor, link: z.enum(['created', 'rotated', 'token']) })),
  /** The valid secrets, oldest first; `notAfter` is null for the one that does not expire. */
  secrets: z.array(z.object({ id: Id, createdAt: Time, notAfter: Time.nullable() })),
  createdAt: Time,
  /** To the minute. Null if it was never used. */
  lastUsedAt: Time.nullable(),
})
export type ServiceAccount = z.infer<typeof ServiceAccount>
export const ListServiceAccountsInput = z.strictObject(PageInput)
export const ServiceAccountList = page(ServiceAccount)
