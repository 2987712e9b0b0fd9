// Longer than other files because it is a list: requests and their decisions, case by case.
import { afterAll, describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import type { PolicyText } from '#server/policies/engine/terms.ts'
import { type ObligationKind, obligationKinds } from '#server/policies/language/annotations.ts'
import { sourceDigest } from '#server/policies/language/source-digest.ts'
import type { DecidingPolicy } from './deciding-set.ts'
import { evaluateRequest } from './evaluate-request.ts'
import { manifestPolicy } from './manifest-rules.ts'
import type { ToolCallRequest } from './request.ts'

afterAll(closeEngine)

const now = new Date('2026-05-01T12:00:00.000Z')
const request: ToolCallRequest = {
  agent: {
    id: '0197c0de-0000-7000-8000-000000000001',
    name: 'refunder',
    version: '1.4.0',
    lifecycle: 'released',
    riskTier: 'high',
    allowedTools: ['payments/issue_refund'],
    requireApproval: [],
    approvals: { group: 'owners', quorum: 1, expiresAfterSeconds: 3600 },
  },
  releaseId: '0197c0de-0000-7000-8000-000000000002',
  releaseDigest: `sha256:${'0'.repeat(64)}`,
  environment: 'production',
  tool: {
    server: 'payments',
    name: 'issue_refund',
    sideEffect: 'irreversible',
    idempotent: true,
    inputSchema: {
      type: 'object',
      properties: { amount: { type: 'string', format: 'decimal' }, note: { type: 'string' } },
      required: ['amount'],
    },
  },
  arguments: { amount: '10.00' },
  executionId: '0197c0de-0000-7000-8000-000000000003',
  stepId: 'refund',
  toolCalls: 2,
  fulfilled: [],
}
type Text = DecidingPolicy & PolicyText
const policy = (source: string, name = 'p'): Text => ({
  policyId: name,
  name,
  version: 1,
  digest: sourceDigest(source),
  source,
})
const head = (effect: string) => `${effect} (principal, action in Countersign::Action::"ToolCall", resource)`
const permit = `@id("ok") ${head('permit')} when { principal.allowedTools.contains(resource) };`
const hard = `@id("no") @code("FREEZE") @message("Nothing moves today.") ${head('forbid')};`
const soft = (id: string, annotations = '', kind = 'approval') =>
  `@id("${id}") @obligation("${kind}") ${annotations} ${head('forbid')} unless { context.fulfilled.contains("${kind}:${id}") };`
const decide = (
  sources: string | (string | Text)[],
  changes: Partial<ToolCallRequest> = {},
  honours: readonly ObligationKind[] = obligationKinds,
) => {
  const policies = [sources]
    .flat()
    .map((source, index) => (typeof source === 'string' ? policy(source, `p${index}`) : source))
  const set = {
    tenantId: 'northwind',
    key: policies.map(({ digest }) => digest).join(),
    policies,
    readTexts: async () => policies,
  }
  return evaluateRequest(set, { ...request, ...changes }, now, honours)
}
const codes = async (outcome: ReturnType<typeof decide>) => {
  const { effect, reasons } = await outcome
  return [effect, ...reasons.map(({ rule }) => rule)]
}

describe('allow and deny', () => {
  test('a matching permit allows the call and is the reason', async () => {
    expect(await decide(permit)).toMatchObject({
      effect: 'allow',
      obligations: [],
      masks: [],
      budgets: [],
      reasons: [
        { policyId: 'p0', policyName: 'p0', policyVersion: 1, rule: 'ok', code: null, message: null, source: permit },
      ],
    })
  })

  test('a call without a matching permit or any policy is denied', async () => {
    const other = { ...request.tool, name: 'close_account' }
    expect(await codes(decide(permit, { tool: other }))).toEqual(['deny', 'no_permit'])
    expect(await codes(decide([]))).toEqual(['deny', 'no_permit'])
  })

  test('a hard forbid in any policy takes precedence and gives its message', async () => {
    expect(await decide([permit, hard])).toMatchObject({
      effect: 'deny',
      reasons: [{ policyName: 'p1', rule: 'no', code: 'FREEZE', message: 'Nothing moves today.', source: hard }],
    })
  })

  test('a rule that fails denies the call, whatever other rules decide', async () => {
    const failing = `@id("sum") ${head('forbid')} when { context.call.counters.toolCalls * 9223372036854775807 > 0 };`
    expect(await codes(decide([permit, failing]))).toEqual(['deny', 'policy_error', 'sum'])
  })

  test('a published source that no longer parses denies the call', async () => {
    expect(await codes(decide([permit, 'permit (']))).toEqual(['deny', 'policy_error'])
  })

  test('a trap in the engine denies the call but not the next one', async () => {
    const trap = `@id("t") ${head('forbid')} when { ${'('.repeat(200)}false${')'.repeat(200)} };`
    expect(await codes(decide([permit, trap]))).toEqual(['deny', 'pdp_unavailable'])
    expect(await codes(decide(permit))).toEqual(['allow', 'ok'])
  })
})

describe('soft forbids', () => {
  test('a soft forbid requires an approval on the terms of its annotations', async () => {
    const source = `${permit}\n${soft('big', '@approval_group("money") @approval_quorum("2") @approval_ttl("PT30M") @message("Ask.")')}`
    const outcome = await decide(source)
    expect(outcome).toMatchObject({
      effect: 'require_approval',
      reasons: [{ rule: 'big', message: 'Ask.' }],
      approval: { group: 'money', quorum: 2, expiresAfterSeconds: 1800, rules: [{ rule: 'big' }] },
      obligations: [{ kind: 'approval', policyRule: 'big', parameters: { group: 'money' } }],
    })
    expect(outcome.reasons[0]?.source).toBe(source.split('\n')[1])
  })

  test('the manifest determines the approvers of a rule without parameters', async () => {
    expect(await decide([permit, soft('big')])).toMatchObject({
      approval: { group: 'owners', quorum: 1, expiresAfterSeconds: 3600 },
    })
  })

  test('the granted token lifts the soft forbid', async () => {
    const { approval } = await decide([permit, soft('big')])
    expect(approval?.tokens).toHaveLength(1)
    expect(await codes(decide([permit, soft('big')], { fulfilled: approval?.tokens ?? [] }))).toEqual(['allow', 'ok'])
  })

  test('a hard forbid takes precedence before and after the approval is granted', async () => {
    const { approval } = await decide([permit, soft('big')])
    expect(await codes(decide([permit, soft('big'), hard]))).toEqual(['deny', 'no'])
    expect(await codes(decide([permit, soft('big'), hard], { fulfilled: approval?.tokens ?? [] }))).toEqual([
      'deny',
      'no',
    ])
  })

  test('no approval is required for a call that no permit would allow afterwards', async () => {
    expect(await codes(decide(soft('big')))).toEqual(['deny', 'no_permit'])
  })

  test('two rules with the same group share one approval on the stricter terms', async () => {
    const sources = [permit, soft('a', '@approval_quorum("2")'), soft('b', '@approval_ttl("PT10M")')]
    const { approval } = await decide(sources)
    expect(approval).toMatchObject({ group: 'owners', quorum: 2, expiresAfterSeconds: 600 })
    expect(approval?.rules.map(({ rule }) => rule)).toEqual(['a', 'b'])
    expect(await codes(decide(sources, { fulfilled: approval?.tokens ?? [] }))).toEqual(['allow', 'ok'])
  })

  test('two rules with different groups require two approvals, one after the other', async () => {
    const sources = [permit, soft('a', '@approval_group("first")'), soft('b', '@approval_group("second")')]
    const one = await decide(sources)
    expect(one.approval).toMatchObject({ group: 'first', rules: [{ rule: 'a' }] })
    expect(one.reasons.map(({ rule }) => rule)).toEqual(['a', 'b'])
    const two = await decide(sources, { fulfilled: one.approval?.tokens ?? [] })
    expect(two).toMatchObject({ effect: 'require_approval', approval: { group: 'second', rules: [{ rule: 'b' }] } })
    expect(await codes(decide(sources, { fulfilled: two.approval?.tokens ?? [] }))).toEqual(['allow', 'ok'])
  })

  test('a token does not lift a rule of the same name in another policy or version', async () => {
    const { approval } = await decide([permit, soft('big')])
    const fulfilled = approval?.tokens ?? []
    expect(await decide([permit, soft('big', '@message("New words.")')], { fulfilled })).toMatchObject({
      effect: 'require_approval',
    })
    expect(await decide([permit, soft('big'), soft('big', '@code("X")')], { fulfilled })).toMatchObject({
      effect: 'require_approval',
      approval: { rules: [{ policyName: 'p2' }] },
    })
  })

  test('a bare token, as written in a policy, does not lift any rule', async () => {
    expect(await decide([permit, soft('big')], { fulfilled: ['approval:big'] })).toMatchObject({
      effect: 'require_approval',
    })
  })

  test('a mask lists its own paths and those of its classes in the manifest', async () => {
    const agent = { ...request.agent, sensitive: [{ path: '$.customer.email', class: 'pii.email' }] }
    const rule = soft('m', '@mask_paths("$.note, $.items[*].iban") @mask_classes("pii.email,health")', 'mask')
    expect(await decide([permit, rule], { agent })).toMatchObject({
      effect: 'allow',
      reasons: [{ rule: 'ok' }, { rule: 'm' }],
      masks: [{ rule: 'm', paths: ['$.note', '$.items[*].iban', '$.customer.email'], method: 'redact' }],
      obligations: [{ kind: 'mask', policyRule: 'm' }],
    })
  })

  test('a budget states the amount to reserve and its key', async () => {
    const rule = soft('b', '@budget_limit("100.00") @budget_unit("calls") @budget_window("P1D")', 'budget')
    const outcome = await decide([permit, rule])
    expect(outcome).toMatchObject({
      effect: 'allow',
      budgets: [
        {
          rule: 'b',
          key: 'p1/b/agent/calls/86400',
          subject: `${request.agent.id}/production`,
          scope: 'agent',
          windowSeconds: 86_400,
          unit: 'calls',
          limit: '100.00',
          amount: '1',
        },
      ],
      obligations: [{ kind: 'budget', parameters: { limit: '100.00', windowSeconds: '86400', amount: '1' } }],
    })
  })

  test.each([
    ['tokens', 'agent', 'A rule counts tokens, and nobody knows how many payments/issue_refund can use.'],
    ['EUR', 'tenant', 'A rule counts EUR spent, and nobody knows how many payments/issue_refund can use.'],
    ['calls', 'execution', 'A rule counts what one execution uses, and this call belongs to none.'],
  ])('a budget of %s by %s that cannot be counted denies the call and states why', async (unit, scope, message) => {
    const rule = soft('b', `@budget_limit("9") @budget_unit("${unit}") @budget_scope("${scope}")`, 'budget')
    const { executionId: _none, ...elsewhere } = request
    const set = { tenantId: 'northwind', key: unit, policies: [policy(permit, 'p0'), policy(rule, 'p1')] }
    const outcome = await evaluateRequest(
      { ...set, readTexts: async () => set.policies },
      elsewhere,
      now,
      obligationKinds,
    )
    expect(outcome).toMatchObject({
      effect: 'deny',
      reasons: [{ code: 'obligation_unsupported', message }, { rule: 'b' }],
    })
  })

  test('masks and budgets apply once the approval is granted', async () => {
    const rules = [
      permit,
      soft('m', '@mask_paths("$.note")', 'mask'),
      soft('b', '@budget_limit("3") @budget_unit("calls")', 'budget'),
      soft('a'),
    ]
    const one = await decide(rules)
    expect(one).toMatchObject({ effect: 'require_approval', approval: { rules: [{ rule: 'a' }] } })
    const two = await decide(rules, { fulfilled: one.approval?.tokens ?? [] })
    expect(two).toMatchObject({ effect: 'allow', masks: [{ rule: 'm' }], budgets: [{ rule: 'b' }] })
    expect(await codes(decide([...rules, hard]))).toEqual(['deny', 'no'])
  })

  test.each(['mask', 'budget'])(
    'a %s that the caller does not honour, or without parameters, denies the call',
    async (kind) => {
      const said = '@mask_paths("$.note") @budget_limit("3") @budget_unit("calls")'
      expect(await codes(decide([permit, soft('m', said, kind)], {}, ['approval']))).toEqual([
        'deny',
        'obligation_unsupported',
        'm',
      ])
      expect(await codes(decide([permit, soft('m', '', kind)]))).toEqual(['deny', 'obligation_unsupported', 'm'])
    },
  )

  test('an unknown kind of obligation is a hard forbid', async () => {
    expect(await codes(decide([permit, soft('m', '', 'dance')]))).toEqual(['deny', 'm'])
  })

  test('a soft forbid that its token does not lift is a hard forbid', async () => {
    const stuck = `@id("s") @obligation("approval") ${head('forbid')};`
    expect(await codes(decide([permit, stuck]))).toEqual(['deny', 's'])
  })
})

describe("the manifest's requireApproval", () => {
  const ask = async (requireApproval: string[], fulfilled: string[] = []) => {
    const agent = { ...request.agent, requireApproval }
    const manifest = manifestPolicy(agent)
    return await decide(manifest === undefined ? [permit] : [permit, manifest], { agent, fulfilled })
  }

  test('requires an approval of the manifest’s group for the listed tools', async () => {
    const outcome = await ask(['payments/issue_refund', 'payments/other'])
    expect(outcome).toMatchObject({
      effect: 'require_approval',
      reasons: [{ policyName: 'manifest of refunder 1.4.0', policyVersion: 0, rule: 'manifest.payments/issue_refund' }],
      approval: { group: 'owners' },
    })
    expect(await ask(['payments/issue_refund', 'payments/other'], outcome.approval?.tokens)).toMatchObject({
      effect: 'allow',
    })
  })

  test('does not affect other tools, and adds no policy when the list is empty', async () => {
    expect(await ask(['payments/other'])).toMatchObject({ effect: 'allow' })
    expect(manifestPolicy(request.agent)).toBeUndefined()
  })

  test('escapes tool names, which cannot inject Cedar', async () => {
    const name = 'x"); permit (principal, action, resource);\n//\\'
    const agent = { ...request.agent, requireApproval: [`payments/${name}`] }
    const manifest = manifestPolicy(agent)
    const tool = { ...request.tool, name }
    expect(await decide(manifest === undefined ? [] : [manifest], { agent, tool })).toMatchObject({
      effect: 'deny',
      reasons: [{ rule: 'no_permit' }],
    })
    expect(
      await decide(manifest === undefined ? [] : [`@id("all") ${head('permit')};`, manifest], { agent, tool }),
    ).toMatchObject({ effect: 'require_approval', reasons: [{ rule: `manifest.payments/${name}` }] })
  })
})

describe('typed arguments', () => {
  const limit = `@id("limit") forbid (principal, action == Countersign::Action::"payments/issue_refund", resource) when { context.arguments.amount.greaterThan(decimal("100.0")) };`
  const amount = (value: JsonValue) => codes(decide([permit, limit], { arguments: { amount: value } }))

  test('a rule reads the value of an argument', async () => {
    expect(await amount('100.00')).toEqual(['allow', 'ok'])
    expect(await amount('100.01')).toEqual(['deny', 'limit'])
    expect(await amount('0100.0001')).toEqual(['deny', 'limit'])
  })

  test.each<[string, JsonValue]>([
    ['an exponent', '1e9'],
    ['five decimal places', '100.00001'],
    ['sixteen digits', '9'.repeat(16)],
    ['a leading space', ' 5'],
    ['an empty string', ''],
    ['null', null],
    ['a list', ['5']],
    ['an extension value supplied by the caller', { __extn: { fn: 'decimal', arg: '1.0' } }],
    ['an entity', { __entity: { type: 'Countersign::Tool', id: 'x' } }],
  ])('%s cannot bypass a limit: it does not fit the type, so the call is denied', async (_what, value) => {
    expect(await amount(value)).toEqual(['deny', 'arguments_invalid'])
  })

  test('the denial names the argument but never its value', async () => {
    const outcome = await decide([permit, limit], { arguments: { amount: 'secret' } })
    expect(outcome.reasons[0]?.message).toBe(
      'The arguments do not fit what the tool declares: $.amount is not a number with at most four decimal places.',
    )
  })

  test('an argument nested one level deeper or under another name counts as missing', async () => {
    const misplaced: JsonObject[] = [{ refund: { amount: '5' } }, { Amount: '5' }, {}]
    for (const args of misplaced)
      expect(await codes(decide([permit, limit], { arguments: args }))).toEqual(['deny', 'arguments_invalid'])
  })

  test('arguments that do not fit are harmless when no rule reads them', async () => {
    expect(await codes(decide(permit, { arguments: { amount: '1e9' } }))).toEqual(['allow', 'ok'])
  })

  test('no one is asked about arguments that the tool can only refuse, unless the request was recorded before that', async () => {
    const ask = [permit, soft('boss')]
    const args = { amount: 62.5 }
    const exact = true
    expect(await codes(decide(ask, { arguments: args, exact }))).toEqual(['deny', 'arguments_invalid'])
    expect(await codes(decide(ask, { arguments: { note: 'x' }, exact }))).toEqual(['deny', 'arguments_invalid'])
    expect(await codes(decide(ask, { arguments: args }))).toEqual(['require_approval', 'boss'])
    expect(await codes(decide(ask, { exact }))).toEqual(['require_approval', 'boss'])
    // Without an approval, the tool says so itself.
    expect(await codes(decide(permit, { arguments: args, exact }))).toEqual(['allow', 'ok'])
    // A rule that forbids the call goes first.
    expect(await codes(decide([permit, hard, soft('boss')], { arguments: args, exact }))).toEqual(['deny', 'no'])
    const inputSchema = { type: 'object', properties: { amount: { type: ['string', 'number'] } } }
    const tool = { ...request.tool, inputSchema }
    expect(await codes(decide(ask, { arguments: args, exact, tool }))).toEqual(['require_approval', 'boss'])
  })

  test('a rule that reads arguments denies calls to a tool without a schema', async () => {
    const { inputSchema: _none, ...tool } = { inputSchema: undefined, ...request.tool }
    expect(await codes(decide([permit, limit], { tool }))).toEqual(['deny', 'arguments_invalid'])
    expect(await codes(decide([permit], { tool }))).toEqual(['allow', 'ok'])
  })
})

describe('model calls', () => {
  const model = { provider: 'openai-compatible', name: 'gpt-5-mini' }
  const { tool: _tool, ...rest } = request
  const ask = (source: string, args = { inputCharacters: 1000, maxOutputTokens: 500 }) => {
    const policies = [policy(source)]
    const agent = { ...rest.agent, allowedModels: ['openai-compatible/gpt-5-mini'] }
    const call = { ...rest, agent, model, arguments: args }
    return evaluateRequest(
      { tenantId: 'northwind', key: source, policies, readTexts: async () => policies },
      call,
      now,
      obligationKinds,
    )
  }
  const models = (condition: string) =>
    `@id("m") permit (principal, action == Countersign::Action::"ModelCall", resource in Countersign::ModelProvider::"openai-compatible") when { ${condition} };`

  test('are decided by rules for ModelCall, not by rules for tools', async () => {
    expect(await codes(ask(models('principal.allowedModels.contains(resource)')))).toEqual(['allow', 'm'])
    expect(await codes(ask(permit))).toEqual(['deny', 'no_permit'])
    expect(await codes(ask(models('context.arguments.inputCharacters < 10')))).toEqual(['deny', 'no_permit'])
  })
})
