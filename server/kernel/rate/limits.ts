import type { Config } from '#server/kernel/config.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { type Budget, createBudget, type Standing } from './budget.ts'
import { createLender } from './lender.ts'
import { createShares, type Shares } from './shares.ts'
import { deleteEndedBudgets } from './store.ts'

const windowSeconds = 60

type Limits = { calls: Budget; tokens: Budget; strangers: Shares }

// Owned by this module, in each process and each bundle: the loans under the settings of the process.
const ofProcess = new WeakMap<Config, Limits>()

function limits(): Limits {
  const { config } = runtime()
  const known = ofProcess.get(config)
  if (known !== undefined) return known
  const budget = (policy: string, limit: number) =>
    createBudget({ policy, limit, windowSeconds, lend: createLender({ limit, seconds: windowSeconds }) })
  const made = {
    calls: budget('tenant', config.rateLimitPerMinute),
    tokens: budget('client', config.tokenRateLimitPerMinute),
    strangers: createShares({ policy: 'address', limit: config.tokenRateLimitPerMinute, seconds: windowSeconds }),
  }
  ofProcess.set(config, made)
  return made
}

/** Spends `calls` of the tenant's calls per minute, on all nodes and transports together. Throws RateLimited. */
export const takeCalls = (tenantId: string, calls = 1): Promise<Standing> =>
  limits().calls.take(tenantId, 'calls', calls)

/** The same without waiting; undefined, with nothing spent, if this process must borrow first. */
export const takeAtOnce = (tenantId: string, calls = 1): Standing | undefined =>
  limits().calls.takeAtOnce(tenantId, 'calls', calls)

export const callsStanding = (tenantId: string): Standing => limits().calls.standing(tenantId, 'calls')

/** Spends one of the tokens per minute of `holder`, a client or a person of the tenant's realm. Throws RateLimited. */
export const takeToken = (tenantId: string, holder: string): Promise<Standing> => limits().tokens.take(tenantId, holder)

/** Attempts of strangers to prove a client or a grant, by address. */
export const strangerShares = (): Shares => limits().strangers

/** The policy for callers without a tenant, or whose tenant is not known yet. */
export const callsPolicy = (): Pick<Standing, 'policy' | 'limit' | 'windowSeconds'> => ({
  policy: 'tenant',
  limit: runtime().config.rateLimitPerMinute,
  windowSeconds,
})

/** Removes ended budgets of a tenant. */
export const purgeBudgets = (tenantId: string): Promise<void> =>
  runtime().database.inTenant(tenantId, (tx) => deleteEndedBudgets(tx, tenantId))
