import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import { connectionTokenDays, mostAgentsOfToken, whyNotAgents } from '#lib/rules/service-accounts.ts'
import { Actor, Id, PageInput, page, Revision, Time } from './common.ts'

/** What a connection token is for. It reaches nothing else. */
export const ConnectionUse = z.enum(['telemetry', 'gateway', 'scim'])
export type ConnectionUse = z.infer<typeof ConnectionUse>
export const ConnectionTokenStatus = z.enum(['active', 'expired', 'revoked', 'account_disabled'])
export type ConnectionTokenStatus = z.infer<typeof ConnectionTokenStatus>

const dayMs = 86_400_000
/** Clocks of callers may be ahead, so a little more is accepted; the server then shortens it to the maximum. */
const toleranceMs = 3_600_000
const isFuture = (time: string) => Date.parse(time) > Date.now()
const isNear = (time: string) => Date.parse(time) <= Date.now() + connectionTokenDays.most * dayMs + toleranceMs

/**
 * `serviceAccountId` is the account's id, not its client id. `agents` are names: those that a gateway token may call for
 * (required), or whose traces a telemetry token may send (by default all). `expiresAt`: 90 days from now by default, at most
 * 365.
 */
export const CreateConnectionTokenInput = z
  .strictObject({
    name: z.string().trim().min(1).max(limits.secretName),
    serviceAccountId: Id,
    use: ConnectionUse,
    agents: z.array(z.string().trim().min(1).max(200)).min(1).max(mostAgentsOfToken).optional(),
    expiresAt: Time.refine(isFuture, 'Must be in the future.')
      .refine(isNear, `Must be at most ${connectionTokenDays.most} days ahead.`)
      .optional(),
  })
  .superRefine(({ use, agents }, context) => {
    const message = whyNotAgents(use, agents)?.message
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['agents'], message })
  })

export const ConnectionToken = z.object({
  id: Id,
  name: z.string(),
  use: ConnectionUse,
  /** Null: all agents. */
  agents: z.array(z.string()).nullable(),
  serviceAccount: z.object({ id: Id, username: z.string(), displayName: z.string() }),
  status: ConnectionTokenStatus,
  createdBy: Actor,
  createdAt: Time,
  expiresAt: Time,
  revokedAt: Time.nullable(),
  /** To the minute. Null if it was never used. */
  lastUsedAt: Time.nullable(),
  revision: Revision,
})
export type ConnectionToken = z.infer<typeof ConnectionToken>

/** `token` is the whole token, shown once: a replay by Idempotency-Key leaves it out. */
export const CreateConnectionTokenOutput = z.object({
  id: Id,
  token: z.string().optional(),
  connectionToken: ConnectionToken,
})

export const ListConnectionTokensInput = z.strictObject({ ...PageInput, serviceAccountId: Id.optional() })
export const ConnectionTokenList = page(ConnectionToken)

export const RevokeConnectionTokenInput = z.strictObject({ id: Id })
export const RevokeConnectionTokenOutput = z.object({ id: Id, connectionToken: ConnectionToken })
