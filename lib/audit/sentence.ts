import { auditSentences } from './sentences.ts'

export type RecordFacts = {
  /** The action, such as `approval.approve`. */
  type: string
  actor: { type: string; name: string }
  resource: { type: string; id: string }
  /** What the object is called; undefined if the reader may not see it, or if it no longer exists. */
  name: string | undefined
}

const refused = '.refused'

/** The action of a record, and whether it was refused. The answer of a tool may be a refusal, which is an action of its own. */
export function attemptOf(type: string): { action: string; isRefused: boolean } {
  const isRefused = type.endsWith(refused) && !Object.hasOwn(auditSentences, type)
  return { action: isRefused ? type.slice(0, -refused.length) : type, isRefused }
}

/** What a record says, as a sentence with names. An action without a sentence is said by its own words. */
export function auditSentence(facts: RecordFacts): string {
  const { actor } = facts
  const { action, isRefused } = attemptOf(facts.type)
  const known = Object.hasOwn(auditSentences, action) ? auditSentences[action] : undefined
  const object = objectPhrase(facts)
  const template = isRefused ? known?.[1] : known?.[0]
  const text =
    template === undefined
      ? `${actor.name}: ${actionWords(action)}, ${object}`
      : filled(template, { actor: actor.name, object })
  return isRefused ? `${text}, and was refused` : text
}

/** A name is put in once and not searched for placeholders: `{actor}` in it stays text. */
const filled = (template: string, names: { actor: string; object: string }): string =>
  template.replaceAll(/\{(actor|object)\}/g, (_all, key: string) => (key === 'actor' ? names.actor : names.object))

/** `approval.changes_requested` is "approval changes requested". */
export const actionWords = (action: string): string => action.replaceAll(/[._]+/g, ' ')

/** An action as an option of a filter: "Asked the requester about a request". */
export function actionLabel(type: string): string {
  const text = auditSentence({
    type,
    actor: { type: 'any', name: '' },
    resource: { type: resourceTypeOf(type), id: '' },
    name: undefined,
  })
    .replace(/^:? /, '')
    .trim()
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** By the words before the dot, an action is about objects of this type. */
const resourceTypeOf = (action: string): string => {
  const subject = action.slice(0, action.indexOf('.'))
  const calls = /^(agent|tool|model)\.(called|returned|failed|refused|\w+_late)$/.test(action)
  return calls ? 'execution' : subject === 'policy_version' ? 'policy' : subject
}

/** The object in the sentence: "the refund of €4,200.00 for A-1001", or "a request" without its name. */
export function objectPhrase({ resource: { type, id }, name, actor }: Omit<RecordFacts, 'type'>): string {
  // The agent of an execution is the one that acts.
  if (type === 'execution' && actor.type === 'agent') return unnamed.execution
  if (type === 'service_account' && id !== '') return `the service account ${name ?? id}`
  const phrase = Object.hasOwn(named, type) ? named[type] : undefined
  if (phrase !== undefined && name !== undefined) return phrase(name)
  return Object.hasOwn(unnamed, type) ? ((unnamed as Record<string, string>)[type] ?? type) : actionWords(type)
}

const named: Readonly<Record<string, (name: string) => string>> = {
  agent: (name) => name,
  approval: (name) => `the ${name}`,
  execution: (name) => `the execution of ${name}`,
  group: (name) => `the approver group ${name}`,
  mail: (name) => `a mail to ${name}`,
  member: (name) => name,
  notification_channel: (name) => `the notification channel ${name}`,
  policy: (name) => `the policy ${name}`,
  policy_binding: (name) => `the binding of ${name}`,
  provider_group: (name) => `the group ${name} of the identity provider`,
  release: (name) => `the release of ${name}`,
  secret: (name) => `the secret ${name}`,
  trace: (name) => `the trace ${name}`,
}

const unnamed = {
  agent: 'an agent',
  alarm: 'an alarm',
  approval: 'a request',
  execution: 'an execution',
  group: 'an approver group',
  mail: 'a mail',
  member: 'a member',
  notification_channel: 'a notification channel',
  policy: 'a policy',
  policy_binding: 'the binding of a policy',
  provider_group: 'a group of the identity provider',
  release: 'the release of an agent',
  secret: 'a secret',
  service_account: 'a service account',
  trace: 'a trace',
}
