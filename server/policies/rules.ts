import { notFound } from '#lib/errors.ts'
import { PolicyRules, PolicyRulesInput, type RuleCounts } from '#lib/schemas/policies/rules.ts'
import { requireBound, requireBoundBelow } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { listReached } from './bindings/reach-store.ts'
import { countByRule } from './decisions/rule-counts-store.ts'
import { ruleViews } from './rule-view.ts'
import { findVersion } from './store.ts'

const periodMs = 86_400_000
/** The most decisions that are counted, however many a day has. */
const searched = 20_000
const mostAgents = 100

/** The rules of one version in words, what each decided in the last 24 hours, and which agents its bindings reach. */
export const rules = query({
  permission: 'policy:read',
  input: PolicyRulesInput,
  output: PolicyRules,
  async run({ tx, tenant, input: { policyId, version } }) {
    const [row] = await Promise.all([
      findVersion(tx, tenant.id, policyId, version),
      requireBound(tx, tenant.id, 'policy', [policyId]),
      requireBoundBelow(tx, tenant.id, 'policy_version', policyId),
    ])
    if (row === undefined) throw notFound()
    const since = new Date(Date.now() - periodMs)
    const { counts, decisions } = await countByRule(tx, tenant.id, { policyId, version, since, searched })
    const reached = await listReached(tx, tenant.id, { policyId, version, limit: mostAgents + 1 })
    const views = await ruleViews(tenant.id, row)
    const countsOf = (rule: string): RuleCounts => {
      const of = (effect: keyof RuleCounts) =>
        counts.find((one) => one.rule === rule && one.effect === effect)?.count ?? 0
      return { allow: of('allow'), deny: of('deny'), require_approval: of('require_approval') }
    }
    return {
      rules: views.map((view) => ({ ...view, decisions: countsOf(view.rule) })),
      since: since.toISOString(),
      allCounted: decisions < searched,
      reach: reached.slice(0, mostAgents),
      reachesMore: reached.length > mostAgents,
    }
  },
})
