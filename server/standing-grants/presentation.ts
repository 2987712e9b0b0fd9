import { formatMoney } from '#lib/format.ts'
import { argumentOf, argumentRows } from '#lib/rules/effect.ts'
import { conditionValue } from '#lib/rules/standing-grants/condition.ts'
import type { ArgumentRule } from '#lib/rules/standing-grants/match.ts'
import { pastWords } from '#lib/rules/standing-grants/words.ts'
import type { GrantSimulation, GrantTerms } from '#lib/schemas/approvals/grants.ts'
import type { ArgumentView, Presentation } from '#lib/schemas/approvals.ts'
import type { Source } from './source.ts'

/** The arguments of a request whose values are masked in whole or in part. */
export const maskedArguments = ({ approval }: Source): Set<string> =>
  new Set(
    approval.presentation.arguments.flatMap(({ path, masked }) => (masked === undefined ? [] : [argumentOf(path)])),
  )

/** The conditions on calls; equal values as the source shows them, so that masked ones stay masked. */
export function ruleRows(rules: readonly ArgumentRule[], { approval, arguments: args }: Source): ArgumentView[] {
  const masked = new Set(
    approval.presentation.arguments.flatMap(({ path, masked }) => (masked === undefined ? [] : [argumentOf(path)])),
  )
  return rules.flatMap((rule): ArgumentView[] => {
    const path = rule.argument
    if (rule.is === 'like') return [{ path, value: conditionValue({ is: 'like', pattern: rule.pattern }) }]
    if (rule.is === 'any') return [{ path, value: conditionValue({ is: 'any' }) }]
    if (rule.is === 'amount')
      return [{ path, value: conditionValue({ is: 'at most', amount: money(rule.perCall, rule.currency) }) }]
    if (!masked.has(path)) return argumentRows(args[path] ?? null, path)
    return approval.presentation.arguments.filter((row) => argumentOf(row.path) === path)
  })
}

/** The approval page of the proposal. */
export function grantPresentation(
  source: Source,
  { terms, rules, simulation }: { terms: GrantTerms; rules: readonly ArgumentRule[]; simulation: GrantSimulation },
): Presentation {
  const { resource, environment, approval } = source
  const { uses, ceiling, until } = terms
  const calls = uses === 1 ? 'one call' : `up to ${uses} calls`
  const day = `${until.slice(0, 10)} ${until.slice(11, 16)} UTC`
  const currency = rules.find((rule) => rule.is === 'amount')?.currency
  return {
    title: `Let ${calls} like “${approval.presentation.title}” run without a decision`,
    effectLabel: `standing grant for ${calls}`,
    verb: 'Approve',
    effects: [
      `Until ${day}, ${calls} of ${resource} in ${environment} run without a person’s decision if each argument is as stated below.`,
      ...(ceiling === undefined || currency === undefined
        ? []
        : [`All of them together can reach at most ${money(ceiling.total, currency)}.`]),
      pastWords(simulation),
      'What a policy forbids stays forbidden. Each use is recorded.',
      'The grant ends early when it is revoked, the agent is suspended, the release or a policy changes, or one of the two people loses the role.',
    ],
    onReject: 'Each call like it still needs a decision.',
    onExpiry: 'The proposal expires and counts as rejected.',
    onEscalate: 'A standing grant can’t be escalated.',
    reversible: true,
    irreversibleNote: null,
    risk: approval.presentation.risk,
    action: 'StandingGrant',
    resource,
    environment,
    arguments: ruleRows(rules, source),
    agent: approval.presentation.agent,
    policy: approval.presentation.policy,
    executionId: null,
    traceId: null,
    position: null,
    subject: null,
  }
}

const money = (amount: string, currency: string): string => formatMoney(amount, currency) ?? `${amount} ${currency}`
