// Works on one text, in a thread that is thrown away: whatever the text does to Cedar dies with it.
import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import * as cedar from '@cedar-policy/cedar-wasm/nodejs'
import type { RuleProblem } from './check.ts'
import { annotationsOf, lintRule } from './lint.ts'
import type { RuleText } from './scan.ts'

/** Parse, lint and validate. Later checks run only on what passed the earlier ones. */
function problemsOf(rules: RuleText[]): RuleProblem[] {
  const problems: RuleProblem[] = []
  const named: Record<string, string> = {}
  const taken = new Map<string, number>()
  for (const [rule, { text }] of rules.entries()) {
    const parsed = cedar.policyToJson(text)
    if (parsed.type === 'failure') {
      problems.push(...parsed.errors.map((error) => problemOf(rule, error)))
      continue
    }
    problems.push(...lintRule(parsed.json, new Set(taken.keys())).map((message) => ({ rule, message, byte: 0 })))
    const { id } = annotationsOf(parsed.json)
    if (id === undefined) continue
    taken.set(id, rule)
    named[id] = text
  }
  if (problems.length > 0) return problems
  const schema = readFileSync(new URL('schema.cedarschema', import.meta.url), 'utf8')
  const answer = cedar.validate({ schema, policies: { staticPolicies: named } })
  if (answer.type === 'failure') return answer.errors.map((error) => problemOf(0, error))
  // A warning is an error here: each means that the rule does not say what its reader believes (a condition that is
  // never true, letters of another alphabet that look alike).
  return [...answer.validationErrors, ...answer.validationWarnings].map(({ policyId, error }) =>
    problemOf(taken.get(policyId) ?? 0, error),
  )
}

function problemOf(rule: number, { message, help, sourceLocations }: cedar.DetailedError): RuleProblem {
  const words = message.replace(/^failed to parse policy[^:]* from string: /, '').replace(/^for policy `[^`]*`, /, '')
  const sentence = help === null ? words : `${words} (${help.replace(/^for policy `[^`]*`, /, '')})`
  return { rule, message: sentence.slice(0, 500), byte: sourceLocations?.[0]?.start ?? 0 }
}

// Started is worth a message of its own: a busy machine is not the text's fault.
parentPort?.on('message', (rules: RuleText[] | 'start') =>
  parentPort?.postMessage(rules === 'start' ? 'started' : problemsOf(rules)),
)
