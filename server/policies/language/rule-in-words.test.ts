import * as cedar from '@cedar-policy/cedar-wasm/nodejs'
import { describe, expect, test } from 'vitest'
import { ruleInWords } from './rule-in-words.ts'

const words = (text: string): string | undefined => {
  const parsed = cedar.policyToJson(text)
  if (parsed.type === 'failure') throw new Error(parsed.errors.map(({ message }) => message).join('\n'))
  return ruleInWords(parsed.json)
}
const rule = (condition: string) =>
  words(`forbid (principal, action in Countersign::Action::"ToolCall", resource) ${condition};`)
const when = (condition: string) => rule(`when { ${condition} }`)

describe('a rule in words says to which calls it applies', () => {
  test.each([
    ['principal, action, resource', 'all calls'],
    ['principal, action == Countersign::Action::"ModelCall", resource', 'model calls'],
    ['principal, action, resource is Countersign::Tool', 'tool calls'],
    ['principal, action == Countersign::Action::"payments/refund", resource', 'calls of payments/refund'],
    [
      'principal, action in Countersign::Action::"ToolCall", resource == Countersign::Tool::"payments/refund"',
      'calls of payments/refund',
    ],
    ['principal, action in [Countersign::Action::"a/x", Countersign::Action::"b/y"], resource', 'calls of a/x or b/y'],
    [
      'principal == Countersign::Agent::"refunds", action in Countersign::Action::"ToolCall", resource in Countersign::ToolServer::"payments"',
      'tool calls on payments by refunds',
    ],
  ])('%s', (scope, calls) => {
    expect(words(`forbid (${scope});`)).toBe(`It applies to ${calls}.`)
  })
})

describe('a rule in words says under which conditions', () => {
  test.each([
    [
      'context.arguments has amount && context.arguments.amount.greaterThan(decimal("10000.00"))',
      'the argument amount is greater than 10000.00',
    ],
    ['context.arguments.id like "A-*"', 'the argument id matches “A-*”'],
    ['context.arguments.to.domain != "northwind.example"', 'the argument to.domain is not “northwind.example”'],
    ['!(context.arguments has reason)', 'the argument reason is not given'],
    ['!(context.arguments.id like "A-*")', 'the argument id does not match “A-*”'],
    ['!(context.arguments.a > 1)', 'the argument a is at most 1'],
    ['!(context.arguments.amount.lessThanOrEqual(decimal("5.00")))', 'the argument amount is greater than 5.00'],
    ['!context.arguments.urgent', 'the argument urgent is not true'],
    [
      '!(context.arguments.a == 1 && context.arguments.b == 2)',
      'it is not true that (the argument a is 1 and the argument b is 2)',
    ],
    ['context.arguments.tags.containsAll(["a", "b"])', 'the argument tags contains all of “a” and “b”'],
    ['context.arguments.tags.containsAny(["a", "b"])', 'the argument tags contains any of “a” or “b”'],
    ['principal has riskTier && principal.riskTier == "prohibited"', 'the agent’s risk is “prohibited”'],
    ['context.call.counters.toolCalls >= 200', 'the number of earlier tool calls is at least 200'],
    ['["write", "irreversible"].contains(resource.sideEffect)', 'the tool’s side effect is “write” or “irreversible”'],
    [
      'context.env.name == "production" && (context.arguments.a > 1 || context.arguments.b <= 2)',
      'the environment is “production” and (the argument a is greater than 1 or the argument b is at most 2)',
    ],
    [
      'context.arguments.a == 1 || context.arguments.b == 2 && context.arguments.c == true',
      'the argument a is 1 or (the argument b is 2 and the argument c is true)',
    ],
    ['context.arguments.urgent', 'the argument urgent is true'],
    ['context.arguments.tags.isEmpty()', 'the argument tags is empty'],
    ['resource == Countersign::Tool::"a/b"', 'the tool or model is a/b'],
  ])('%s', (condition, said) => {
    expect(when(condition)).toBe(`It applies to tool calls, when ${said}.`)
  })

  test('a lift is left out, and other exceptions are not', () => {
    expect(
      rule(
        'when { context.arguments.a > 1 } unless { context.arguments.b } unless { context.fulfilled.contains("approval:x") }',
      ),
    ).toBe('It applies to tool calls, when the argument a is greater than 1, unless the argument b is true.')
  })

  test('a guard stays where nothing else reads the member', () => {
    expect(when('context.arguments has amount && context.arguments.id == "x"')).toBe(
      'It applies to tool calls, when the argument amount is given and the argument id is “x”.',
    )
    expect(when('context.arguments has amount && context.arguments.amount != 1')).toBe(
      'It applies to tool calls, when the argument amount is given and the argument amount is not 1.',
    )
    expect(when('context.arguments has a && (context.arguments.a > 1 || context.arguments.b == 2)')).toBe(
      'It applies to tool calls, when the argument a is given and (the argument a is greater than 1 or the argument b is 2).',
    )
    expect(when('context.arguments has amount && !(context.arguments.amount == 1)')).toBe(
      'It applies to tool calls, when the argument amount is given and the argument amount is not 1.',
    )
  })

  test.each([
    'if context.arguments.a then true else context.arguments.b',
    '{ a: 1 } == context.arguments.x',
    'context.arguments.tags == ["a", "b"]',
    '["a", "b"] == context.arguments.tags',
    'context.arguments.tags.contains(["a", "b"])',
    'context.arguments.tags.containsAny([["a"], ["b"]])',
    '!(context.arguments.tags == ["a", "b"])',
    'context.unknown.member == 1',
    'principal is Countersign::Agent',
    'context.arguments.when.toDate() == datetime("2026-11-23")',
  ])('what can’t be said completely is not said: %s', (condition) => {
    expect(when(condition)).toBeUndefined()
  })
})
