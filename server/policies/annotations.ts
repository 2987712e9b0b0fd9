import { durationSeconds } from '#lib/duration.ts'

/** The kinds of obligation that a soft forbid may carry. Only `approval` can be honoured today. */
export const obligationKinds = ['approval', 'mask', 'budget'] as const
export type ObligationKind = (typeof obligationKinds)[number]

export const isObligationKind = (kind: string): kind is ObligationKind =>
  (obligationKinds as readonly string[]).includes(kind)

/** Rule names that begin so are made by the decision point from an agent's manifest. */
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
const ruleId = (text: string) =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text) && !text.startsWith(manifestRulePrefix)
    ? undefined
    : `letters, digits, dots, hyphens and underscores, not beginning with "${manifestRulePrefix}"`

/** Each annotation that a rule may carry, and what its value should be (undefined: it is fine). */
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
  mask_classes: atMost(500),
  mask_method: oneOf('redact', 'tokenize', 'hash', 'truncate'),
  budget_scope: atMost(100),
  budget_window: ttl,
  budget_unit: atMost(100),
}

/** What is wrong with one annotation of a rule that has the obligation `kind`; undefined when nothing is. */
export function whyNotAnnotation(key: string, value: string, kind: string | undefined): string | undefined {
  const check = Object.hasOwn(known, key) ? known[key] : undefined
  if (check === undefined) return `There is no annotation @${key}. Known are: ${Object.keys(known).join(', ')}.`
  const owner = obligationKinds.find((candidate) => key.startsWith(`${candidate}_`))
  if (owner !== undefined && owner !== kind) return `@${key} belongs on a rule with @obligation("${owner}").`
  const expected = check(value)
  return expected === undefined ? undefined : `@${key} should be ${expected}.`
}
