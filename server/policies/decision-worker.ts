// Lives as long as the process, or until Cedar traps in it. Knows policies by the digest of their text.
import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import * as cedar from '@cedar-policy/cedar-wasm/nodejs'
import type { Batch, CedarRequest, Evaluation, RuleFacts } from './engine.ts'
import { annotationsOf } from './lint.ts'
import { splitRules } from './scan.ts'

/** Cedar can replace a pre-parsed set but not drop one, so sets live in a ring of slots; least recently used goes first. */
const slots = 128
/** 'unusable' is a text that this version of Cedar does not parse. */
type Loaded = { slot: string; rules: Map<string, RuleFacts> | 'unusable' }
/** By digest, in order of use. */
const loaded = new Map<string, Loaded>()

const schemaName = 'countersign'
const schema = cedar.preparseSchema(schemaName, readFileSync(new URL('schema.cedarschema', import.meta.url), 'utf8'))
if (schema.type === 'failure') throw new Error(`The policy schema is wrong: ${schema.errors[0]?.message}`)

function load({ digest, source }: { digest: string; source: string }): Loaded {
  const known = loaded.get(digest)
  if (known !== undefined) {
    loaded.delete(digest)
    loaded.set(digest, known)
    return known
  }
  const [oldest] = loaded.keys()
  const evicted = loaded.size >= slots && oldest !== undefined ? loaded.get(oldest) : undefined
  if (evicted !== undefined && oldest !== undefined) loaded.delete(oldest)
  const slot = evicted?.slot ?? `slot-${loaded.size}`
  const made = { slot, rules: prepare(slot, source) }
  loaded.set(digest, made)
  return made
}

function prepare(slot: string, source: string): Map<string, RuleFacts> | 'unusable' {
  const texts: Record<string, string> = {}
  const rules = new Map<string, RuleFacts>()
  for (const [order, { text }] of splitRules(source).entries()) {
    const parsed = cedar.policyToJson(text)
    if (parsed.type === 'failure') return 'unusable'
    texts[`rule-${order}`] = text
    rules.set(`rule-${order}`, { order, text, annotations: annotationsOf(parsed.json) })
  }
  const answer = cedar.preparsePolicySet(slot, { staticPolicies: texts })
  return answer.type === 'failure' ? 'unusable' : rules
}

function evaluate(request: CedarRequest, { fulfilled, ...policy }: Batch['policies'][number]): Evaluation {
  const { slot, rules } = load(policy)
  if (rules === 'unusable') return { outcome: 'unusable_policy' }
  const answer = cedar.statefulIsAuthorized({
    ...request,
    context: { ...request.context, fulfilled },
    preparsedSchemaName: schemaName,
    preparsedPolicySetId: slot,
    validateRequest: true,
  })
  // Its message would repeat the context's values: it stays here.
  if (answer.type === 'failure') return { outcome: 'invalid_request' }
  const { decision, diagnostics } = answer.response
  const facts = (ids: string[]) => ids.flatMap((id) => rules.get(id) ?? []).sort((a, b) => a.order - b.order)
  return {
    outcome: 'decided',
    decision,
    determining: facts(diagnostics.reason),
    erring: facts(diagnostics.errors.map(({ policyId }) => policyId)),
  } satisfies Evaluation
}

parentPort?.on('message', (batch: Batch) =>
  parentPort?.postMessage(batch.policies.map((policy) => evaluate(batch.request, policy))),
)
