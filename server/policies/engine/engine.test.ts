import { afterAll, expect, test } from 'vitest'
import { ask as askWorker, startWorker } from '#server/kernel/threads/worker.ts'
import { sourceDigest } from '#server/policies/language/source-digest.ts'
import { findExcess, limits } from '#server/policies/language/split-rules.ts'
import { closeEngine, settleIn } from './engine.ts'
import type { CedarRequest, PolicyText } from './terms.ts'

afterAll(closeEngine)

const tool = { type: 'Countersign::Tool', id: 'payments/look' }
const action = { type: 'Countersign::Action', id: 'payments/look' }
const request: CedarRequest = {
  principal: { type: 'Countersign::Agent', id: 'a' },
  action,
  resource: tool,
  context: {
    call: { now: { __extn: { fn: 'datetime', arg: '2026-05-01T12:00:00.000Z' } }, counters: { toolCalls: 3 } },
    env: { name: 'production' },
    arguments: {},
  },
  entities: [
    {
      uid: { type: 'Countersign::Agent', id: 'a' },
      attrs: { version: '1', release: 'r', lifecycle: 'released', allowedTools: [{ __entity: tool }] },
      parents: [],
    },
    { uid: action, attrs: {}, parents: [{ type: 'Countersign::Action', id: 'ToolCall' }] },
    {
      uid: tool,
      attrs: { server: 'payments', name: 'look', sideEffect: 'read', idempotent: true },
      parents: [{ type: 'Countersign::ToolServer', id: 'payments' }],
    },
  ],
}
/** How often a set's sources were read: the engine requests those it has not cached. */
let reads = 0
const settleBy = (
  sources: string[],
  grants: string[] = [],
  changes: Partial<CedarRequest> = {},
  tenantId = 'northwind',
) => {
  const texts: PolicyText[] = sources.map((source) => ({ digest: sourceDigest(source), source }))
  const set = { key: texts.map(({ digest }) => digest).join() }
  return settleIn(tenantId, { set, request: { ...request, ...changes }, grants, misfit: false }, async () => {
    reads += 1
    return texts
  })
}
const ask = (source: string) => settleBy([source])
const permit = (condition: string) => `@id("p") permit (principal, action, resource) when { ${condition} };`
const sound = permit('resource in Countersign::ToolServer::"payments" && principal.allowedTools.contains(resource)')

test('returns the determining rules with their text and annotations', async () => {
  const forbid = '@id("f") @code("NO") forbid (principal, action, resource);'
  expect(await ask(sound)).toMatchObject({ effect: 'allow', permits: [{ policy: 0, rule: { order: 0, text: sound } }] })
  expect(await ask(`// why\n${sound}\n${forbid}\n`)).toMatchObject({
    effect: 'deny',
    because: 'forbidden',
    rules: [{ policy: 0, rule: { order: 1, text: forbid, annotations: { id: 'f', code: 'NO' } } }],
  })
})

test('rules can read the facts in the schema', async () => {
  expect(await ask(permit('context.call.now.toTime() < duration("13h")'))).toMatchObject({ effect: 'allow' })
  expect(await ask(permit('principal has riskTier'))).toMatchObject({ because: 'no_permit' })
})

test('reports a rule that fails, although Cedar skips it', async () => {
  const overflow = permit('context.call.counters.toolCalls * 9223372036854775807 > 0')
  expect(await ask(overflow)).toMatchObject({ because: 'policy_error', rules: [{ rule: { text: overflow } }] })
})

test('reports a request that Cedar cannot read as invalid, and denies when a source does not parse', async () => {
  const context = { ...request.context, extra: { __extn: { fn: 'decimal', arg: 'no' } } }
  expect(await settleBy([sound], [], { context })).toMatchObject({ effect: 'deny', because: 'request_invalid' })
  expect(await ask('permit (')).toEqual({ effect: 'deny', because: 'policy_error', rules: [] })
  expect(await settleBy([sound, 'permit ('])).toEqual({ effect: 'deny', because: 'policy_error', rules: [] })
})

test('reads and parses a set once for any number of questions', async () => {
  const texts = Array.from({ length: 300 }, (_, n) =>
    permit(`context.call.counters.toolCalls == ${n % 4} && ${n} >= 0`),
  )
  const before = reads
  const round = async () => (await Promise.all(texts.map(ask))).map(({ effect }) => effect)
  const expected = texts.map((_, n) => (n % 4 === 3 ? 'allow' : 'deny'))
  expect(await round()).toEqual(expected)
  expect(await round()).toEqual(expected)
  expect(reads - before).toBe(300)
})

test('evaluates only rules whose scope can match the action, resource and principal', async () => {
  const forbid = (scope: string, id: string) => `@id("${id}") forbid (${scope});`
  const others = [
    forbid('principal == Countersign::Agent::"b", action, resource', 'agent'),
    forbid('principal, action == Countersign::Action::"payments/pay", resource', 'action'),
    forbid('principal, action in [Countersign::Action::"ModelCall"], resource', 'actions'),
    forbid('principal, action, resource == Countersign::Tool::"payments/pay"', 'tool'),
    forbid('principal, action, resource in Countersign::ToolServer::"crm"', 'server'),
    forbid('principal, action, resource is Countersign::Model', 'type'),
    forbid(
      'principal is Countersign::Agent, action, resource is Countersign::Tool in Countersign::ToolServer::"crm"',
      'both',
    ),
  ]
  expect(await settleBy([sound, ...others])).toMatchObject({ effect: 'allow' })
  const matching = [
    forbid('principal == Countersign::Agent::"a", action, resource', 'agent'),
    forbid('principal, action == Countersign::Action::"payments/look", resource', 'action'),
    forbid('principal, action in Countersign::Action::"ToolCall", resource', 'group'),
    forbid(
      'principal, action in [Countersign::Action::"ModelCall", Countersign::Action::"ToolCall"], resource',
      'groups',
    ),
    forbid('principal, action, resource == Countersign::Tool::"payments/look"', 'tool'),
    forbid('principal, action, resource in Countersign::ToolServer::"payments"', 'server'),
    forbid('principal is Countersign::Agent, action, resource is Countersign::Tool', 'type'),
  ]
  for (const one of matching) expect(await settleBy([sound, one, ...others])).toMatchObject({ because: 'forbidden' })
})

test('a grant lifts the rule of its own policy, not a rule of the same name in another', async () => {
  const soft = (more: string) =>
    `${more}@id("ask") @obligation("approval") forbid (principal, action, resource) unless { context.fulfilled.contains("approval:ask") };`
  const [one, two] = [soft('// one\n'), soft('// two\n')]
  const both = await settleBy([sound, one, two])
  expect(both).toMatchObject({ effect: 'allow', obligations: [{ policy: 1 }, { policy: 2 }] })
  const granted = await settleBy([sound, one, two], [`approval:${sourceDigest(one)}/ask`])
  expect(granted).toMatchObject({ effect: 'allow', obligations: [{ policy: 2 }] })
  expect(await settleBy([sound, one, two], ['approval:ask'])).toMatchObject({ obligations: [{}, {}] })
})

// The forms that recurse deepest in Cedar among those the scan accepts, evaluated to their last term.
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
])('decides by the longest %s that can be stored', async (_form, condition) => {
  expect(findExcess(permit(condition))).toBeUndefined()
  expect(await ask(permit(condition))).toMatchObject({ effect: 'allow' })
})

test('a trap forced past the scan fails only its own question, and the worker is replaced', async () => {
  const trap = permit(`${'('.repeat(200)}true${')'.repeat(200)}`)
  const [before, trapped, after] = await Promise.allSettled([ask(sound), ask(trap), ask(sound)])
  expect(before).toMatchObject({ status: 'fulfilled', value: { effect: 'allow' } })
  expect(trapped).toMatchObject({ status: 'rejected', reason: { name: 'WorkerFailure' } })
  expect(after).toMatchObject({ status: 'fulfilled', value: { effect: 'allow' } })
})

// The slowest condition that the scan accepts: Cedar compares each position of the text with the whole pattern.
const endless = permit(`context.arguments.note like "*${'a'.repeat(60_000)}b"`)
const context = { ...request.context, arguments: { note: 'a'.repeat(300_000) } }

test('a set that is too slow fails, and the other questions of its batch are decided', async () => {
  expect(findExcess(endless)).toBeUndefined()
  // Once the worker has read the set, its limit is the one for questions, a fifth of the one for sources.
  await ask(endless)
  const [before, slow, after] = await Promise.allSettled([ask(sound), settleBy([endless], [], { context }), ask(sound)])
  expect(before).toMatchObject({ status: 'fulfilled', value: { effect: 'allow' } })
  expect(slow).toMatchObject({ status: 'rejected', reason: { name: 'WorkerFailure' } })
  expect(after).toMatchObject({ status: 'fulfilled', value: { effect: 'allow' } })
}, 180_000)

test('a tenant whose questions are slow delays another tenant by few of them, and not by its whole queue', async () => {
  const slow = { ...context, arguments: { note: 'a'.repeat(61_000) } }
  await Promise.all([settleBy([endless]).catch(() => undefined), settleBy([sound], [], {}, 'globex')])
  const done: string[] = []
  const flood = Array.from({ length: 20 }, () =>
    settleBy([endless], [], { context: slow }).then(
      () => done.push('slow'),
      () => done.push('slow'),
    ),
  )
  const other = settleBy([sound], [], {}, 'globex').then(() => done.push('other'))
  await other
  const before = done.length - 1
  await Promise.all(flood)
  expect(before).toBeLessThan(10)
  expect(done).toHaveLength(21)
}, 180_000)

test('the time limit counts the worker’s own processor time, so that a busy machine does not cause denials', async () => {
  const question = (source: string) => {
    const texts = [{ digest: sourceDigest(source), source }]
    return JSON.stringify([
      { set: { key: source, texts }, request: { ...request, context }, grants: [], misfit: false },
    ])
  }
  const worker = startWorker(import.meta.url, 'decision-worker.ts', {})
  // The wait is limited to a minute, the thread to far less: the thread's limit ends the call.
  await expect(askWorker(worker, question(endless), 60_000, 300)).rejects.toThrow(/within 300 ms of processor time/)
  // A thread that publishes its id, stays idle, and answers the second message.
  const idle = startWorker(
    import.meta.url,
    `data:text/javascript,${encodeURIComponent(`
      import { readlinkSync } from 'node:fs'
      import { parentPort, workerData } from 'node:worker_threads'
      Atomics.store(workerData, 0, Number(readlinkSync('/proc/thread-self').split('/').at(-1)))
      parentPort.on('message', (message) => message === 'answer' && parentPort.postMessage('late'))`)}`,
    {},
  )
  const late = askWorker(idle, '', 60_000, 300)
  // This thread spends three times the other thread's limit, which must not count for the other.
  const begun = process.cpuUsage()
  while (process.cpuUsage(begun).user < 900_000) await new Promise((resolve) => setImmediate(resolve))
  idle.postMessage('answer')
  expect(await late).toBe('late')
  await idle.terminate()
}, 180_000)

test('closing waits for earlier questions, and a later question starts a new worker', async () => {
  const asked = ask(sound)
  await closeEngine()
  expect(await asked).toMatchObject({ effect: 'allow' })
  expect(await ask(sound)).toMatchObject({ effect: 'allow' })
})
