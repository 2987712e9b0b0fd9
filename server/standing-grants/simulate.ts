import { isJsonObject } from '#lib/json.ts'
import { decimal, micros } from '#lib/rules/cost.ts'
import { type ArgumentRule, matchOf } from '#lib/rules/standing-grants/match.ts'
import type { GrantSimulation, GrantTerms } from '#lib/schemas/approvals/grants.ts'
import { findDecidedLike } from '#server/approvals/repeats/history-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/** Requests and days that a simulation looks back at. */
const searched = { requests: 200, days: 90 }
const shown = 10

/** What a grant would have meant for the requests that people decided: in their order, until its uses or its total are spent. */
export async function simulateGrant(
  tx: Transaction,
  tenantId: string,
  sourceId: string,
  { uses, ceiling }: GrantTerms,
  rules: readonly ArgumentRule[],
): Promise<GrantSimulation> {
  const requests = await findDecidedLike(tx, tenantId, sourceId, searched)
  const matched: typeof requests = []
  let spent = 0n
  for (const request of requests.toReversed()) {
    const { payload } = request
    const match = isJsonObject(payload?.arguments) ? matchOf(rules, payload.arguments) : undefined
    const total = spent + (match?.micros ?? 0n)
    if (match === undefined || matched.length === uses) continue
    if (ceiling !== undefined && total > micros(ceiling.total)) continue
    matched.push(request)
    spent = total
  }
  const refused = matched.filter(({ status }) => status === 'rejected').toReversed()
  return {
    requests: requests.length,
    matched: matched.length,
    approved: matched.length - refused.length,
    rejected: refused.length,
    total: ceiling === undefined ? null : decimal(spent),
    refused: refused
      .slice(0, shown)
      .map(({ id, title, requestedAt }) => ({ approvalId: id, title, requestedAt: requestedAt.toISOString() })),
  }
}
