/** What became of attempts to prove an account or a client. */
export const outcomes = ['accepted', 'refused', 'throttled', 'overloaded'] as const
export type Outcome = (typeof outcomes)[number]
export type Credential = 'password' | 'client'

// Owned by this module: of this process since it started, by tenant. A monitor that reads them adds up the processes.
const counts = new Map<string, number>()
const keyOf = (tenantId: string, credential: Credential, outcome: Outcome) => `${tenantId}/${credential}/${outcome}`

export const outcomeCount = (tenantId: string, credential: Credential, outcome: Outcome): number =>
  counts.get(keyOf(tenantId, credential, outcome)) ?? 0

export function countOutcome(tenantId: string, credential: Credential, outcome: Outcome): void {
  const key = keyOf(tenantId, credential, outcome)
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
