import { isDeepStrictEqual } from 'node:util'
import type { EntityUidJson, Expr, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { isObligationKind, missingFor, whyNotAnnotation } from './annotations.ts'

/**
 * Checks that Cedar's validator does not cover: a soft forbid (@obligation) must be lifted by exactly its own token, and no
 * other expression may read `context.fulfilled`; otherwise an approval could permit something that was never approved.
 * Returns sentences for the author. `taken`: the rule names already used in this policy.
 */
export function lintRule(rule: PolicyJson, taken: ReadonlySet<string>): string[] {
  const annotations = annotationsOf(rule)
  const { id, obligation } = annotations
  const problems = Object.entries(annotations).flatMap(([key, value]) => whyNotAnnotation(key, value, obligation) ?? [])
  problems.push(...missingFor(annotations), ...uncounted(rule, annotations))
  if (id === undefined) problems.push('Every rule needs a name: @id("…").')
  else if (taken.has(id)) problems.push(`Another rule is already named "${id}".`)
  if (obligation !== undefined && rule.effect === 'permit')
    problems.push('@obligation belongs on a forbid: on a permit it would have no effect when another permit matches.')

  const bodies = rule.conditions.map(({ body }) => body)
  const lifts = rule.conditions.filter(({ kind, body }) => kind === 'unless' && isLift(body, `${obligation}:${id}`))
  const rest = lifts.length === 1 ? bodies.filter((body) => body !== lifts[0]?.body) : bodies
  if (obligation !== undefined && rule.effect === 'forbid' && isObligationKind(obligation) && lifts.length !== 1)
    problems.push(
      `A rule with @obligation("${obligation}") must end with: unless { context.fulfilled.contains("${obligation}:${id}") }.`,
    )
  if (rest.some(readsFulfilled))
    problems.push(
      'Only the `unless` of a rule with @obligation can read context.fulfilled, and no rule can use context as a whole.',
    )
  return problems
}

/** Rejects a budget of tokens or money that can match tool calls: their usage is unknown, so the rule would always deny them. */
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
        `${unit === 'tokens' ? 'Token usage' : `Cost in ${unit}`} is known for model calls only, so this rule would deny every tool call it matches: write action == Countersign::Action::"ModelCall".`,
      ]
}

const modelType = 'Countersign::Model'
const namedBy = (uid: EntityUidJson) => ('__entity' in uid ? uid.__entity : uid)

/** The annotations of a rule; empty for an annotation without a value. */
export const annotationsOf = (rule: PolicyJson): Record<string, string> =>
  Object.fromEntries(Object.entries(rule.annotations ?? {}).map(([key, value]) => [key, value ?? '']))

const isLift = (body: Expr, token: string): boolean =>
  isDeepStrictEqual(body, {
    contains: { left: { '.': { left: { Var: 'context' }, attr: 'fulfilled' } }, right: { Value: token } },
  })

const readsFulfilled = (expression: Expr): boolean => readsMember(expression, 'fulfilled')

/** Whether an expression reads `context.<name>`, by name or through `context` as a whole. */
export function readsMember(expression: Expr, name: string): boolean {
  // An explicit stack, because a long chain of operators is just as deep.
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

/** The operands of a node, which has one key: its operator. The keys of a record literal are the author's own. */
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
