// Checks one source in a thread that is then discarded, so that a source that breaks Cedar affects no other.
import { parentPort } from 'node:worker_threads'
import * as cedar from '@cedar-policy/cedar-wasm/nodejs'
import { tellThread } from '#server/kernel/threads/thread-time.ts'
import { withToken } from '#server/policies/language/lifting-token.ts'
import { annotationsOf, lintRule } from '#server/policies/language/lint.ts'
import type { CheckTask, RuleProblem } from './check-policy.ts'

/** Parses, lints and validates. Each check runs only when the earlier ones found nothing. */
function problemsOf({ rules, schema }: CheckTask): RuleProblem[] {
  const problems: RuleProblem[] = []
  const named: Record<string, string> = {}
  const taken = new Map<string, number>()
  for (const [rule, { text }] of rules.entries()) {
    const parsed = cedar.policyToJson(text)
    if (parsed.type === 'failure') {
      problems.push(...parsed.errors.map((error) => problemOf(rule, error)))
      continue
    }
    const { id, obligation } = annotationsOf(parsed.json)
    const lints = lintRule(parsed.json, new Set(taken.keys()))
    if (lints.length === 0 && obligation !== undefined && withToken(text, '""') === undefined)
      lints.push('Remove the parentheses around the condition: unless { context.fulfilled.contains("…") }.')
    problems.push(...lints.map((message) => ({ rule, message, byte: 0 })))
    if (id === undefined) continue
    taken.set(id, rule)
    named[id] = text
  }
  if (problems.length > 0) return problems
  const answer = cedar.validate({ schema, policies: { staticPolicies: named } })
  if (answer.type === 'failure') return answer.errors.map((error) => problemOf(0, error))
  // Warnings count as errors: each means that the rule does not do what its reader expects (a condition that is never true,
  // look-alike letters of another alphabet). In a rule with errors they only repeat those errors.
  const wrong = new Set(answer.validationErrors.map(({ policyId }) => policyId))
  const warnings = answer.validationWarnings.filter(({ policyId }) => !wrong.has(policyId))
  return [...answer.validationErrors, ...warnings].map(({ policyId, error }) =>
    problemOf(taken.get(policyId) ?? 0, error),
  )
}

function problemOf(rule: number, { message, help, sourceLocations }: cedar.DetailedError): RuleProblem {
  const words = message.replace(/^failed to parse policy[^:]* from string: /, '').replace(/^for policy `[^`]*`, /, '')
  const sentence = help === null ? words : `${words} (${help.replace(/^for policy `[^`]*`, /, '')})`
  return { rule, message: sentence.slice(0, 500), byte: sourceLocations?.[0]?.start ?? 0 }
}

tellThread()
// 'started' is a separate message, so that the time a busy machine takes to start the thread does not count for the source.
parentPort?.on('message', (task: CheckTask | 'start') =>
  parentPort?.postMessage(task === 'start' ? 'started' : problemsOf(task)),
)
