import { formatDuration } from '#components/language/formats.ts'
import * as t from '#components/texts/policies/en.ts'
import { durationSeconds } from '#lib/duration.ts'
import type { RuleView } from '#lib/schemas/policies/rules.ts'

type Said = Pick<RuleView, 'effect' | 'obligation' | 'parameters'>

/** What the rule does to a call to which it applies, as a sentence. */
export function ruleEffectText({ effect, obligation, parameters }: Said): string {
  if (effect === 'permit') return t.callIsPermittedUnless
  const text = obligation === null ? undefined : obligationTexts[obligation]
  return text === undefined ? t.callIsDeniedNo : text(parameters)
}

/** The kind of a rule in one word, for its tag. */
export function ruleKind({ effect, obligation }: Said): string {
  if (effect === 'permit') return t.permits
  return (obligation === null ? undefined : kinds[obligation]) ?? t.forbids
}

const kinds: Readonly<Record<string, string>> = { approval: t.asksPeople, mask: t.masks, budget: t.limits }

type Parameters = RuleView['parameters']

const obligationTexts: Readonly<Record<string, (parameters: Parameters) => string>> = {
  approval: ({ stages, group, quorum, ttl }) => {
    const who =
      stages !== undefined
        ? t.inStagesBy({ stages })
        : t.byWhoOfGroup({
            who: quorum === undefined || quorum === '1' ? t.onePerson : t.people({ quorum }),
            group: group ?? t.groupThatAgentsManifest,
          })
    return t.callWaitsForApproval({
      who,
      limited: String(ttl !== undefined),
      ttl: ttl === undefined ? '' : lengthOf(ttl),
    })
  },
  mask: ({ paths, classes, method = 'redact' }) =>
    t.callGoesAheadWith({ paths: [paths, classes].filter((one) => one !== undefined).join(', '), method }),
  budget: ({ limit = '', unit = '', scope = 'agent', window }) =>
    t.callGoesAheadWhile({
      limit,
      unit,
      scope: scopes[scope] ?? scope,
      windowed: String(window !== undefined),
      window: window === undefined ? '' : lengthOf(window),
    }),
}

const scopes: Readonly<Record<string, string>> = {
  execution: t.oneExecution,
  agent: t.oneAgentInOne,
  environment: t.allAgentsInOne,
  tenant: t.allAgents,
}

/** "1 d" for P1D. */
function lengthOf(duration: string): string {
  const seconds = durationSeconds(duration)
  return seconds === undefined ? duration : formatDuration(seconds * 1000)
}
