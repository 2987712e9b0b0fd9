// Longer than other files because it is a list: what we rely on Cedar to do, case by case.
import { isDeepStrictEqual } from 'node:util'
import * as cedar from '@cedar-policy/cedar-wasm/nodejs'
import { describe, expect, test } from 'vitest'

// The behaviour of Cedar (cedar-wasm, pinned in package.json) that the engine relies on: an upgrade that changes it fails here.

type Value = cedar.CedarValueJson
const uid = (type: string, id: string) => ({ type, id })
const extension = (fn: string, arg: string): Value => ({ __extn: { fn, arg } })
const entities: cedar.EntityJson[] = [
  { uid: uid('Action', 'pay'), attrs: {}, parents: [uid('Action', 'any')] },
  { uid: uid('Tool', 'bank/pay'), attrs: { risk: 'high' }, parents: [uid('Server', 'bank')] },
]
const answer = (policies: string[], context: Record<string, Value> = {}) => {
  const staticPolicies = Object.fromEntries(policies.map((policy, index) => [`p${index}`, policy]))
  return cedar.isAuthorized({
    principal: uid('Agent', 'a'),
    action: uid('Action', 'pay'),
    resource: uid('Tool', 'bank/pay'),
    context,
    policies: { staticPolicies },
    entities,
  })
}
/** The decision, the determining rules and the failed rules. */
const decided = (policies: string[], context: Record<string, Value> = {}) => {
  const { type, ...rest } = answer(policies, context)
  if (type === 'failure' || !('response' in rest)) throw new Error('not decided')
  const { decision, diagnostics } = rest.response
  return [decision, diagnostics.reason.sort(), diagnostics.errors.map(({ policyId }) => policyId)]
}
const permit = (condition = 'true') => `permit (principal, action, resource) when { ${condition} };`
const forbid = (condition = 'true') => `forbid (principal, action, resource) when { ${condition} };`
/** The value of a condition; 'error' when its evaluation fails. */
const holds = (condition: string, context: Record<string, Value> = {}) => {
  const [decision, , errors] = decided([permit(condition)], context)
  return Array.isArray(errors) && errors.length > 0 ? 'error' : decision === 'allow'
}

describe('precedence', () => {
  test('without a permit, denies without a determining rule', () => {
    expect(decided([])).toEqual(['deny', [], []])
    expect(decided([permit('false')])).toEqual(['deny', [], []])
  })
  test('a forbid overrides any permit in any order, and all satisfied forbids determine the decision', () => {
    expect(decided([permit(), forbid()])).toEqual(['deny', ['p1'], []])
    expect(decided([forbid(), permit(), forbid(), forbid('false')])).toEqual(['deny', ['p0', 'p2'], []])
  })
  test('all satisfied permits determine an allow', () =>
    expect(decided([permit(), permit('false'), permit()])).toEqual(['allow', ['p0', 'p2'], []]))
  test('a rule that fails is skipped and reported, so a failed forbid has no effect and the engine must deny', () => {
    expect(decided([permit(), forbid('context.missing')])).toEqual(['allow', ['p0'], ['p1']])
    expect(decided([permit('context.missing')])).toEqual(['deny', [], ['p0']])
  })
})

describe('scopes', () => {
  const scoped = (scope: string) => decided([`permit (${scope});`])[0]
  test.each([
    ['principal == Agent::"a", action, resource', 'allow'],
    ['principal == Agent::"b", action, resource', 'deny'],
    ['principal is Agent, action, resource', 'allow'],
    ['principal is Person, action, resource', 'deny'],
    ['principal, action == Action::"pay", resource', 'allow'],
    ['principal, action == Action::"any", resource', 'deny'],
    ['principal, action in Action::"any", resource', 'allow'],
    ['principal, action in Action::"pay", resource', 'allow'],
    ['principal, action in [Action::"look", Action::"any"], resource', 'allow'],
    ['principal, action in [], resource', 'deny'],
    ['principal, action, resource in Server::"bank"', 'allow'],
    ['principal, action, resource in Server::"crm"', 'deny'],
    ['principal, action, resource is Tool in Server::"bank"', 'allow'],
    ['principal, action, resource == Tool::"bank/Pay"', 'deny'],
  ])('%s: %s', (scope, expected) => expect(scoped(scope)).toBe(expected))
})

describe('attributes', () => {
  test('reading a missing attribute fails, has tests for it, and && and || short-circuit', () => {
    expect(holds('context.a == 1')).toBe('error')
    expect(holds('context has a')).toBe(false)
    expect(holds('context has a && context.a == 1', { a: 1 })).toBe(true)
    expect(holds('context has a && context.a == 1')).toBe(false)
    expect(holds('true || context.a == 1')).toBe(true)
    expect(holds('context has a.b.c', { a: { b: {} } })).toBe(false)
    expect(holds('context["a b"] == 1', { 'a b': 1 })).toBe(true)
  })
  test('an entity that is not supplied does not have any attributes', () => {
    expect(holds('principal has risk')).toBe(false)
    expect(holds('principal.risk == "high"')).toBe('error')
    expect(holds('resource.risk == "high"')).toBe(true)
  })
  test('values of different types are unequal and cannot be ordered', () => {
    expect(holds('context.a == 1', { a: '1' })).toBe(false)
    expect(holds('context.a < 1', { a: '0' })).toBe('error')
    expect(holds('context.a', { a: 'true' })).toBe('error')
  })
  test('null and fractions are not valid values', () => {
    for (const a of [null, 1.5, 2 ** 64]) expect(answer([permit()], { a }).type).toBe('failure')
  })
})

describe('values', () => {
  test('integers have 64 bits, and overflow fails', () => {
    expect(holds('9223372036854775807 + 0 > 0')).toBe(true)
    expect(holds('9223372036854775807 + context.a > 0', { a: 1 })).toBe('error')
  })
  test('decimal has four places and is compared with methods, not with <', () => {
    const amount = { a: extension('decimal', '100.0100') }
    expect(holds('context.a.greaterThan(decimal("100.01"))', amount)).toBe(false)
    expect(holds('context.a.greaterThan(decimal("100.0"))', amount)).toBe(true)
    expect(holds('context.a.lessThanOrEqual(decimal("100.01"))', amount)).toBe(true)
    expect(holds('context.a == decimal("100.01")', amount)).toBe(true)
    expect(holds('context.a < decimal("100.01")', amount)).toBe('error')
    for (const text of ['10', '1.00001', '1e3', ' 1.0', '.5', '922337203685477.5808'])
      expect(answer([permit()], { a: extension('decimal', text) }).type).toBe('failure')
  })
  test('ip supports addresses and ranges', () => {
    const address = { a: extension('ip', '10.1.2.3') }
    expect(holds('context.a.isInRange(ip("10.0.0.0/8"))', address)).toBe(true)
    expect(holds('context.a.isInRange(ip("192.168.0.0/16"))', address)).toBe(false)
    expect(holds('context.a.isIpv6()', { a: extension('ip', '::1') })).toBe(true)
    expect(holds('context.a.isLoopback()', { a: extension('ip', '127.0.0.1') })).toBe(true)
    expect(answer([permit()], { a: extension('ip', '10.1.2') }).type).toBe('failure')
  })
  test('datetime supports comparison and arithmetic with durations', () => {
    const at = { a: extension('datetime', '2026-05-01T23:30:00.000Z') }
    expect(holds('context.a < datetime("2026-05-02")', at)).toBe(true)
    expect(holds('context.a.toTime() > duration("22h")', at)).toBe(true)
    expect(holds('context.a.durationSince(datetime("2026-05-01")) == duration("23h30m")', at)).toBe(true)
  })
  test('like treats * as any text, including none, and everything else literally', () => {
    const text = (a: string, pattern: string) => holds(`context.a like "${pattern}"`, { a })
    expect(text('https://evil.example/x', 'https://*.example/*')).toBe(true)
    expect(text('abc', 'abc*')).toBe(true)
    expect(text('aXc', 'a.c')).toBe(false)
    expect(text('ABC', 'abc')).toBe(false)
    expect(text('a*c', 'a\\*c')).toBe(true)
    expect(text('abc', 'a\\*c')).toBe(false)
  })
  test('sets ignore order and repetition in contains, containsAll, containsAny and isEmpty', () => {
    const tags = { a: ['x', 'y', 'y'] }
    expect(holds('context.a.contains("x")', tags)).toBe(true)
    expect(holds('context.a.contains("z")', tags)).toBe(false)
    expect(holds('context.a.containsAll(["y", "x"])', tags)).toBe(true)
    expect(holds('context.a.containsAny(["z", "x"])', tags)).toBe(true)
    expect(holds('context.a == ["y", "x"]', tags)).toBe(true)
    expect(holds('context.a.isEmpty()', { a: [] })).toBe(true)
    expect(holds('[].containsAll([])')).toBe(true)
  })
  test('strings are compared by code point, without case folding or normalization', () => {
    expect(holds('context.a == "é"', { a: 'e\u0301' })).toBe(false)
    expect(holds('context.a == "\\u{e9}"', { a: 'é' })).toBe(true)
  })
})

describe('JSON', () => {
  test('__entity and __extn in a value create entities and extension values, so arguments must never contain them', () => {
    expect(holds('context.a == Tool::"x"', { a: { __entity: uid('Tool', 'x') } })).toBe(true)
    expect(holds('context.a == decimal("1.0")', { a: extension('decimal', '1.0') })).toBe(true)
  })
  test('a member named __proto__ is an ordinary member', () => {
    const a: Value = Object.fromEntries([['__proto__', 5]])
    expect(holds('context.a["__proto__"] == 5', { a })).toBe(true)
  })
  test('a failure message repeats values of the request, so it must never be passed on', () => {
    const failed = answer([permit()], { a: extension('decimal', 'secret') })
    expect(JSON.stringify(failed)).toContain('secret')
  })
})

describe('a pre-parsed set', () => {
  const ask = (preparsedPolicySetId: string) =>
    cedar.statefulIsAuthorized({
      principal: uid('Agent', 'a'),
      action: uid('Action', 'pay'),
      resource: uid('Tool', 'bank/pay'),
      context: {},
      entities,
      preparsedPolicySetId,
    })
  test('is replaced under the same name, and an unknown name fails', () => {
    cedar.preparsePolicySet('one', { staticPolicies: { a: permit() } })
    expect(ask('one')).toMatchObject({ response: { decision: 'allow', diagnostics: { reason: ['a'] } } })
    cedar.preparsePolicySet('one', { staticPolicies: {} })
    expect(ask('one')).toMatchObject({ response: { decision: 'deny' } })
    expect(ask('never')).toMatchObject({ type: 'failure' })
  })
  test('is rejected when one of its sources does not parse', () =>
    expect(cedar.preparsePolicySet('two', { staticPolicies: { a: permit(), b: 'permit (' } })).toMatchObject({
      type: 'failure',
    }))
})

describe('validation', () => {
  const schema = `entity Server; entity Agent; entity Tool in [Server] = { "risk"?: String };
    action any;
    action pay in [any] appliesTo { principal: [Agent], resource: [Tool], context: { "amount": decimal, "note"?: String } };
    action look in [any] appliesTo { principal: [Agent], resource: [Tool], context: { "id": Long } };`
  const problems = (policy: string) => {
    const result = cedar.validate({ schema, policies: { staticPolicies: { p: policy } } })
    if (result.type === 'failure') return ['failure']
    return [...result.validationErrors, ...result.validationWarnings].map(({ error }) => error.message)
  }
  const pay = (condition: string) => `permit (principal, action == Action::"pay", resource) when { ${condition} };`
  const all = (condition: string) => `permit (principal, action in Action::"any", resource) when { ${condition} };`
  test('is strict about types, optional members and extension literals', () => {
    expect(problems(pay('context.amount.lessThan(decimal("5.0"))'))).toEqual([])
    expect(problems(pay('context.amount < 5'))).not.toEqual([])
    expect(problems(pay('context.note == "x"'))).toEqual([expect.stringContaining('optional')])
    expect(problems(pay('context has note && context.note == "x"'))).toEqual([])
    expect(problems(pay('context.note == 5'))).not.toEqual([])
    expect(problems(pay('context.amount == decimal(context.note)'))).not.toEqual([])
    expect(problems(pay('context.amount == decimal("5")'))).not.toEqual([])
    expect(problems(pay('[1, "x"].contains(1)'))).not.toEqual([])
  })
  test('checks a rule for an action group against each action in it', () => {
    expect(problems(all('context.id == 1'))).not.toEqual([])
    expect(problems(all('context has id && context.id == 1'))).toEqual([])
    expect(problems(all('context has nowhere && context.nowhere == 1'))).toEqual([
      expect.stringContaining('impossible'),
    ])
  })
  test('reports unknown names with a suggestion', () => {
    expect(problems('permit (principal, action == Action::"payy", resource);')).toContainEqual(
      expect.stringContaining('unrecognized action'),
    )
    expect(problems('permit (principal is Agnt, action, resource);')).not.toEqual([])
    expect(problems('permit (principal, action == Action::"any", resource);')).not.toEqual([])
  })
  test('gives positions in UTF-8 bytes', () => {
    const policy = pay('"é€" == "é€" && context.amuont == 5')
    const result = cedar.validate({ schema, policies: { staticPolicies: { p: policy } } })
    const start = result.type === 'success' ? result.validationErrors[0]?.error.sourceLocations?.[0]?.start : undefined
    expect(start).toBe(Buffer.byteLength(policy.slice(0, policy.indexOf('context.amuont'))))
  })
})

// lint.ts, lifting-token.ts and rule.ts read the output of policyToJson.
describe('a policy as JSON', () => {
  const json = (policy: string) => {
    const answered = cedar.policyToJson(policy)
    if (answered.type === 'failure') throw new Error(JSON.stringify(answered.errors))
    return answered.json
  }
  const body = (condition: string) => json(permit(condition)).conditions[0]?.body
  const context = { Var: 'context' }

  test('has annotations as strings, empty or null without a value, and rejects duplicates', () => {
    expect(json('@id("a")\n@message("\\"é\\"\\n")\npermit (principal, action, resource);').annotations).toEqual({
      id: 'a',
      message: '"é"\n',
    })
    const [bare] = Object.values(json('@id\npermit (principal, action, resource);').annotations ?? {})
    expect(bare ?? '').toBe('')
    expect(cedar.policyToJson('@id("a")\n@id("b")\npermit (principal, action, resource);').type).toBe('failure')
  })
  test('keeps the effect, and the order and kind of conditions', () => {
    const policy = json('forbid (principal, action, resource) when { true } unless { false } when { 1 == 1 };')
    expect([policy.effect, policy.conditions.map(({ kind }) => kind)]).toEqual(['forbid', ['when', 'unless', 'when']])
    expect(json('permit (principal, action, resource);').conditions).toEqual([])
  })
  test('has a scope in one of five forms, without expressions', () => {
    const scope = (text: string) => json(`permit (${text}, action, resource);`).principal
    const agent = { type: 'Agent', id: 'a' }
    expect(scope('principal')).toEqual({ op: 'All' })
    expect(scope('principal == Agent::"a"')).toEqual({ op: '==', entity: agent })
    expect(scope('principal in Agent::"a"')).toEqual({ op: 'in', entity: agent })
    expect(scope('principal is Agent')).toEqual({ op: 'is', entity_type: 'Agent' })
    expect(scope('principal is N::Agent in Agent::"a"')).toEqual({
      op: 'is',
      entity_type: 'N::Agent',
      in: { entity: agent },
    })
    expect(json('permit (principal, action in [Action::"pay", Action::"look"], resource);').action).toEqual({
      op: 'in',
      entities: [uid('Action', 'pay'), uid('Action', 'look')],
    })
    expect(cedar.policyToJson('permit (principal == context.a, action, resource);').type).toBe('failure')
  })
  test('rejects a template slot in a static policy', () => {
    const template = 'permit (principal == ?principal, action, resource);'
    expect(cedar.policyToJson(template).type).toBe('failure')
    expect(cedar.preparsePolicySet('template', { staticPolicies: { a: template } }).type).toBe('failure')
  })
  test('represents a lift in one form, whatever its whitespace', () => {
    const lift = { contains: { left: { '.': { left: context, attr: 'fulfilled' } }, right: { Value: 'approval:a' } } }
    expect(body('context.fulfilled.contains("approval:a")')).toEqual(lift)
    expect(body('context . fulfilled\n.contains( "approval:a" ) // said\n')).toEqual(lift)
    expect(body('context["fulfilled"].contains("approval:a")')).toEqual(lift)
  })
  test('names a member of context in . and has, and reads all of context in any other expression', () => {
    expect(body('context.a == 1')).toEqual({
      '==': { left: { '.': { left: context, attr: 'a' } }, right: { Value: 1 } },
    })
    expect(body('context has a')).toEqual({ has: { left: context, attr: 'a' } })
    expect(JSON.stringify(body('context has a.b'))).toMatch(/"has":\{"left":\{"Var":"context"\},"attr":(\["a"|"a")/)
    expect(body('{"x": context}.x == context')).toMatchObject({
      '==': { left: { '.': { left: { Record: { x: context } }, attr: 'x' } }, right: context },
    })
  })
  test('represents each operator as one key with its operands', () => {
    const ops = [
      '1 + 2 == 3 - 0',
      '!(1 < 2) || 1 >= 2 && true',
      'if true then 1 == 1 else [1].contains(1)',
      '"a" like "a*"',
    ]
    const nodes = (node: unknown): object[] =>
      typeof node !== 'object' || node === null
        ? []
        : [...(Array.isArray(node) ? [] : [node]), ...Object.values(node).flatMap(nodes)]
    for (const op of ops) expect(Object.keys(body(op) ?? {}), op).toHaveLength(1)
    expect(nodes(body('if context.a then true else false')).some((node) => isDeepStrictEqual(node, context))).toBe(true)
  })
  test('gives the position of a syntax error in UTF-8 bytes', () => {
    const policy = permit('"é€" == ')
    const failed = cedar.policyToJson(policy)
    const start = failed.type === 'failure' ? failed.errors[0]?.sourceLocations?.[0]?.start : undefined
    expect(start).toBe(Buffer.byteLength(policy.slice(0, policy.indexOf('};'))))
    expect(cedar.policyToJson(`${permit()}\n${permit()}`).type).toBe('failure')
  })
})

describe('warnings', () => {
  const schema =
    'entity Agent; entity Tool; action pay appliesTo { principal: [Agent], resource: [Tool], context: { "a": String } };'
  const warned = (policy: string) => {
    const result = cedar.validate({ schema, policies: { staticPolicies: { p: policy } } })
    if (result.type === 'failure') throw new Error('not validated')
    return result.validationWarnings.map(({ error }) => error.message)
  }
  test('cover look-alike letters, right-to-left overrides and conditions that are never true', () => {
    expect(warned(permit('context.a == "pay"'))).toEqual([])
    expect(warned(permit('context.a == "p\u0430y"'))).not.toEqual([])
    expect(warned(permit('context.a == "a\u202eb"'))).not.toEqual([])
    expect(warned(permit('false'))).toEqual([expect.stringContaining('impossible')])
  })
})
