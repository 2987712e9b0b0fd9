import { isDeepStrictEqual } from 'node:util'
import type { EntityUidJson, Expr, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { isObligationKind, missingFor, whyNotAnnotation } from './annotations.ts'

/**
 * What Cedar's validator does not know: a soft forbid (@obligation) must be lifted by exactly its own token, and nothing
 * else may look at `context.fulfilled`, or a granted approval could open something that nobody approved.
 * Returns sentences for the author; `taken` holds the rule names already used in this policy.
 */
export function lintRule(rule: PolicyJson, taken: ReadonlySet<string>): string[] {
  const annotations = annotationsOf(rule)
  const { id, obligation } = annotations
  const problems = Object.entries(annotations).flatMap(([key, value]) => whyNotAnnotation(key, value, obligation) ?? [])
  problems.push(...missingFor(annotations), ...uncounted(rule, annotations))
  if (id === undefined) problems.push('Every rule needs a name: @id("…").')
  else if (taken.has(id)) problems.push(`Another rule is already named "${id}".`)
  if (obligation !== undefined && rule.effect === 'permit')
    problems.push('@obligation belongs on a forbid: on a permit it would be lost as soon as another permit matches.')

  const bodies = rule.conditions.map(({ body }) => body)
  const lifts = rule.conditions.filter(({ kind, body }) => kind === 'unless' && isLift(body, `${obligation}:${id}`))
  const rest = lifts.length === 1 ? bodies.filter((body) => body !== lifts[0]?.body) : bodies
  if (obligation !== undefined && rule.effect === 'forbid' && isObligationKind(obligation) && lifts.length !== 1)
    problems.push(
      `A rule with @obligation("${obligation}") ends with: unless { context.fulfilled.contains("${obligation}:${id}") }.`,
    )
  if (rest.some(readsFulfilled))
    problems.push(
      'context.fulfilled is read only by the one `unless` of a rule with @obligation, and context is never used as a whole.',
    )
  return problems
}

/** A budget of tokens or money that would be asked of a tool: nobody knows how much of it a tool call uses, so it only denies. */
function uncounted({ action, resource }: PolicyJson, annotations: Readonly<Record<string, string>>): string[] {
  const { obligation, budget_unit: unit } = annotations
  if (obligation !== 'budget' || unit === undefined || unit === 'calls') return []
  const actions = 'entities' in action ? action.entities : 'entity' in action ? [action.entity] : []
  const models = actions.length > 0 && actions.every((uid) => namedBy(uid).id === 'ModelCall')
  const aboutModels =
    resource.op === 'is'
      ? resource.entity_type === modelType
      : 'entity' in resource && namedBy(resource.entity).type === modelType
  return models || aboutModels
    ? []
    : [
        `Only of a model call it is known how many ${unit === 'tokens' ? unit : `${unit} of cost`} it uses, and a tool call that this rule holds for is always denied: write action == Countersign::Action::"ModelCall".`,
      ]
}

const modelType = 'Countersign::Model'
const namedBy = (uid: EntityUidJson) => ('__entity' in uid ? uid.__entity : uid)

/** Annotations as Cedar knows them; one without a value is empty. */
export const annotationsOf = (rule: PolicyJson): Record<string, string> =>
  Object.fromEntries(Object.entries(rule.annotations ?? {}).map(([key, value]) => [key, value ?? '']))

const isLift = (body: Expr, token: string): boolean =>
  isDeepStrictEqual(body, {
    contains: { left: { '.': { left: { Var: 'context' }, attr: 'fulfilled' } }, right: { Value: token } },
  })

const readsFulfilled = (expression: Expr): boolean => readsMember(expression, 'fulfilled')

/** Whether an expression reaches `context.<name>`, by its name or through the whole of `context`. */
export function readsMember(expression: Expr, name: string): boolean {
  // A stack of its own: a chain of operators is as deep as it is long.
  const pending: unknown[] = [expression]
  while (pending.length > 0) {
    const node = pending.pop()
    if (typeof node !== 'object' || node === null || 'Value' in node) continue
    if ('Var' in node && node.Var === 'context') return true
    const member = memberOf(node)
    if (member === name) return true
    if (member === undefined) pending.push(...operandsOf(node))
  }
  return false
}

/** The expressions directly below a node, which has one key: its operator. A record literal's keys are the author's. */
function operandsOf(node: object): unknown[] {
  return Object.values(node).flatMap((body: unknown) =>
    typeof body === 'object' && body !== null ? Object.values(body) : [],
  )
}

/** The member that `context.<member>` or `context has <member>` names; undefined for any other expression. */
function memberOf(node: object): string | undefined {
  const access = '.' in node ? node['.'] : 'has' in node ? node.has : undefined
  if (typeof access !== 'object' || access === null || !('left' in access) || !('attr' in access)) return undefined
  if (!isDeepStrictEqual(access.left, { Var: 'context' })) return undefined
  return String(Array.isArray(access.attr) ? access.attr[0] : access.attr)
}
