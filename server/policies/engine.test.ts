import { afterAll, expect, test } from 'vitest'
import { type CedarRequest, closeEngine, type Evaluation, evaluate } from './engine.ts'
import { findExcess, limits } from './scan.ts'

afterAll(closeEngine)

const tool = { type: 'Countersign::Tool', id: 'payments/look' }
const request: CedarRequest = {
  principal: { type: 'Countersign::Agent', id: 'a' },
  action: { type: 'Countersign::Action', id: 'ToolCall' },
  resource: tool,
  context: {
    call: { now: { __extn: { fn: 'datetime', arg: '2026-05-01T12:00:00.000Z' } }, counters: { toolCalls: 3 } },
    env: { name: 'production' },
  },
  entities: [
    {
      uid: { type: 'Countersign::Agent', id: 'a' },
      attrs: { version: '1', release: 'r', lifecycle: 'released', allowedTools: [{ __entity: tool }] },
      parents: [],
    },
    {
      uid: tool,
      attrs: { server: 'payments', name: 'look', sideEffect: 'read', idempotent: true },
      parents: [{ type: 'Countersign::ToolServer', id: 'payments' }],
    },
  ],
}
const ask = async (source: string, fulfilled: string[] = []): Promise<Evaluation | undefined> =>
  (await evaluate({ request, policies: [{ digest: source, source, fulfilled }] }))[0]
const permit = (condition: string) => `@id("p") permit (principal, action, resource) when { ${condition} };`
const sound = permit('resource in Countersign::ToolServer::"payments" && principal.allowedTools.contains(resource)')

test('answers with the determining rules, their own text and annotations', async () => {
  const forbid = '@id("f") @code("NO") forbid (principal, action, resource);'
  expect(await ask(sound)).toMatchObject({ decision: 'allow', determining: [{ order: 0, text: sound }] })
  expect(await ask(`// why\n${sound}\n${forbid}\n`)).toMatchObject({
    decision: 'deny',
    determining: [{ order: 1, text: forbid, annotations: { id: 'f', code: 'NO' } }],
  })
})

test('the facts of the schema can be used', async () => {
  expect(await ask(permit('context.call.now.toTime() < duration("13h")'))).toMatchObject({ decision: 'allow' })
  expect(await ask(permit('principal has riskTier'))).toMatchObject({ decision: 'deny', determining: [] })
})

test('a rule that fails is told, although Cedar skips it', async () => {
  const overflow = permit('context.call.counters.toolCalls * 9223372036854775807 > 0')
  expect(await ask(overflow)).toMatchObject({ decision: 'deny', determining: [], erring: [{ text: overflow }] })
})

test('a request that the schema does not know is invalid, and a text that does not parse unusable', async () => {
  const odd = { ...request, context: { ...request.context, extra: 1 } }
  expect(await evaluate({ request: odd, policies: [{ digest: sound, source: sound, fulfilled: [] }] })).toEqual([
    { outcome: 'invalid_request' },
  ])
  expect(await ask('permit (')).toEqual({ outcome: 'unusable_policy' })
})

test('more policies than slots are all answered by their own text', async () => {
  const source = (n: number) => permit(`context.call.counters.toolCalls == ${n % 4}`)
  const texts = Array.from({ length: 300 }, (_, n) => `// ${n}\n${source(n)}`)
  const round = async () =>
    (await evaluate({ request, policies: texts.map((text) => ({ digest: text, source: text, fulfilled: [] })) })).map(
      (answer) => answer.outcome === 'decided' && answer.decision,
    )
  const expected = texts.map((_, n) => (n % 4 === 3 ? 'allow' : 'deny'))
  expect(await round()).toEqual(expected)
  expect(await round()).toEqual(expected)
})

// What the scan lets through and recurses deepest in Cedar, evaluated to its last term.
test.each([
  ['or', `${'false||'.repeat(limits.conditions)}true`],
  ['sum', `${'1+'.repeat(limits.chain)}1 == ${limits.chain + 1}`],
  ['sum of sums', `${'('.repeat(9)}1${`${'+1'.repeat(10)})`.repeat(9)} == 91`],
  ['calls', `context.call.now${'.offset(duration("1s"))'.repeat(limits.chain - 2)} > datetime("2020-01-01")`],
  [
    'sum in nesting',
    `${'true&&('.repeat(limits.nesting - 1)}${'1+'.repeat(limits.chain)}1 > 0${')'.repeat(limits.nesting - 1)}`,
  ],
  ['nesting', `${'('.repeat(limits.nesting - 1)}true${')'.repeat(limits.nesting - 1)}`],
  ['ifs', `${'if false then false else '.repeat(limits.nesting - 1)}true`],
  ['chains in nesting', `${'(false||false||'.repeat(limits.nesting - 1)}true${')'.repeat(limits.nesting - 1)}`],
])('the longest %s that may be stored is decided', async (_form, condition) => {
  expect(findExcess(permit(condition))).toBeUndefined()
  expect(await ask(permit(condition))).toMatchObject({ decision: 'allow' })
})

test('a trap forced past the scan fails its own batch and nobody else: the worker is replaced', async () => {
  const trap = permit(`${'('.repeat(200)}true${')'.repeat(200)}`)
  const [before, trapped, after] = await Promise.allSettled([ask(sound), ask(trap), ask(sound)])
  expect(before).toMatchObject({ status: 'fulfilled', value: { decision: 'allow' } })
  expect(trapped).toMatchObject({ status: 'rejected', reason: { name: 'EngineFailure' } })
  expect(after).toMatchObject({ status: 'fulfilled', value: { decision: 'allow' } })
})

test('closing waits for what was asked before, and a later question starts a new worker', async () => {
  const asked = ask(sound)
  await closeEngine()
  expect(await asked).toMatchObject({ decision: 'allow' })
  expect(await ask(sound)).toMatchObject({ decision: 'allow' })
})
