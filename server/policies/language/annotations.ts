import { durationSeconds } from '#lib/duration.ts'
import { percentagesIn, stagesIn } from '#lib/rules/approval-terms.ts'
import { parsePath } from '#lib/rules/mask.ts'

/** The kinds of obligation that a soft forbid may carry. */
export const obligationKinds = ['approval', 'mask', 'budget'] as const
export type ObligationKind = (typeof obligationKinds)[number]

export const isObligationKind = (kind: string): kind is ObligationKind =>
  (obligationKinds as readonly string[]).includes(kind)

/** Prefix of the rule names that the decision point generates from an agent's manifest. */
export const manifestRulePrefix = 'manifest.'

const oneOf =
  (...values: string[]) =>
  (text: string) =>
    values.includes(text) ? undefined : `one of ${values.join(', ')}`
const atMost = (length: number) => (text: string) =>
  text !== '' && text.length <= length ? undefined : `a text of at most ${length} characters`
const name = (text: string) =>
  /^[a-z0-9][a-z0-9-]{0,62}$/.test(text) ? undefined : 'lower-case letters, digits and hyphens'
const quorum = (text: string) => (/^(?:[1-9]|1\d|20)$/.test(text) ? undefined : 'a whole number from 1 to 20')
const ttl = (text: string) => {
  const seconds = durationSeconds(text)
  return seconds !== undefined && seconds >= 60 && seconds <= 30 * 86_400
    ? undefined
    : 'an ISO 8601 duration from one minute to 30 days, such as PT30M'
}
const stages = (text: string) =>
  stagesIn(text) === undefined ? 'one to five different groups, such as "refund-approvers, finance:2"' : undefined
const percentages = (text: string) =>
  percentagesIn(text) === undefined ? 'one to five whole percentages from 1 to 99, such as "50, 90"' : undefined
const ruleId = (text: string) =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text) && !text.startsWith(manifestRulePrefix)
    ? undefined
    : `letters, digits, dots, hyphens and underscores, not beginning with "${manifestRulePrefix}"`

const paths = (text: string) =>
  text.length <= 1000 && text.split(',').every((path) => parsePath(path.trim()) !== undefined)
    ? undefined
    : 'paths such as $.customer.email, separated by commas'
const amount = (text: string) =>
  /^\d{1,12}(?:\.\d{1,6})?$/.test(text) ? undefined : 'a number such as 100 or 2.50, without a sign'

/** Each annotation that a rule may have, with a check that returns the expected value (undefined: valid). */
const known: Record<string, (text: string) => string | undefined> = {
  id: ruleId,
  title: atMost(200),
  message: atMost(500),
  owner: atMost(200),
  control: atMost(200),
  code: atMost(100),
  severity: oneOf('info', 'low', 'medium', 'high', 'critical'),
  obligation: oneOf(...obligationKinds),
  approval_group: name,
  approval_quorum: quorum,
  approval_ttl: ttl,
  approval_stages: stages,
  approval_remind_at: percentages,
  approval_escalate_after: ttl,
  approval_pause_on_question: oneOf('true', 'false'),
  mask_classes: atMost(500),
  mask_paths: paths,
  mask_method: oneOf('redact', 'truncate', 'hash'),
  budget_scope: oneOf('execution', 'agent', 'environment', 'tenant'),
  budget_window: ttl,
  budget_unit: oneOf('calls', 'tokens', 'USD', 'EUR'),
  budget_limit: amount,
}

/** Why an annotation is not valid on a rule with the obligation `kind`; undefined when it is. */
export function whyNotAnnotation(key: string, value: string, kind: string | undefined): string | undefined {
  const check = Object.hasOwn(known, key) ? known[key] : undefined
  if (check === undefined) return `Unknown annotation @${key}. Use one of: ${Object.keys(known).join(', ')}.`
  const owner = obligationKinds.find((candidate) => key.startsWith(`${candidate}_`))
  if (owner !== undefined && owner !== kind) return `@${key} belongs on a rule with @obligation("${owner}").`
  const expected = check(value)
  return expected === undefined ? undefined : `@${key} should be ${expected}.`
}

/** The parameters that a rule lacks for its obligation, or that contradict each other, as sentences. */
export function missingFor(annotations: Readonly<Record<string, string>>): string[] {
  if (
    annotations.obligation === 'mask' &&
    annotations.mask_paths === undefined &&
    annotations.mask_classes === undefined
  )
    return ['A rule with @obligation("mask") needs @mask_paths("$.customer.email") or @mask_classes("pii.email").']
  if (annotations.approval_stages !== undefined)
    return ['approval_group', 'approval_quorum'].flatMap((key) =>
      annotations[key] === undefined ? [] : [`@approval_stages names groups and quorums itself, without @${key}.`],
    )
  if (annotations.obligation !== 'budget') return []
  return ['budget_limit', 'budget_unit'].flatMap((key) =>
    annotations[key] === undefined ? [`A rule with @obligation("budget") needs @${key}("…").`] : [],
  )
}
