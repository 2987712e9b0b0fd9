import { durationSeconds } from '#lib/duration.ts'
import { formatDuration } from '#lib/format.ts'
import type { RuleView } from '#lib/schemas/policies/rules.ts'

type Said = Pick<RuleView, 'effect' | 'obligation' | 'parameters'>

/** What the rule does to a call to which it applies, as a sentence. */
export function ruleEffectText({ effect, obligation, parameters }: Said): string {
  if (effect === 'permit') return 'The call is permitted, unless another rule forbids it.'
  const text = obligation === null ? undefined : obligationTexts[obligation]
  return text === undefined ? 'The call is denied. No approval lifts this.' : text(parameters)
}

/** The kind of a rule in one word, for its tag. */
export function ruleKind({ effect, obligation }: Said): string {
  if (effect === 'permit') return 'Permits'
  return (obligation === null ? undefined : kinds[obligation]) ?? 'Forbids'
}

const kinds: Readonly<Record<string, string>> = { approval: 'Asks people', mask: 'Masks', budget: 'Limits' }

type Parameters = RuleView['parameters']

const obligationTexts: Readonly<Record<string, (parameters: Parameters) => string>> = {
  approval: ({ stages, group, quorum, ttl }) => {
    const who =
      stages !== undefined
        ? `in stages by ${stages}`
        : `by ${quorum === undefined || quorum === '1' ? 'one person' : `${quorum} people`} of ${group ?? 'the group that the agent’s manifest names'}`
    return `The call waits for an approval ${who}${ttl === undefined ? '' : `, for up to ${lengthOf(ttl)}`}.`
  },
  mask: ({ paths, classes, method = 'redact' }) =>
    `The call goes ahead with ${[paths, classes].filter((one) => one !== undefined).join(', ')} masked (${method}).`,
  budget: ({ limit = '', unit = '', scope = 'agent', window }) =>
    `The call goes ahead while ${limit} ${unit} for ${scopes[scope] ?? scope}${window === undefined ? '' : ` in each ${lengthOf(window)}`} are not used up.`,
}

const scopes: Readonly<Record<string, string>> = {
  execution: 'one execution',
  agent: 'one agent in one environment',
  environment: 'all agents in one environment',
  tenant: 'all agents',
}

/** "1 d" for P1D. */
function lengthOf(duration: string): string {
  const seconds = durationSeconds(duration)
  return seconds === undefined ? duration : formatDuration(seconds * 1000)
}
