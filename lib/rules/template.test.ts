import { describe, expect, test } from 'vitest'
import { fillTemplate, holds, type Scope, TemplateError } from './template.ts'

const scope: Scope = {
  input: { orderId: 'A-1', tags: ['x', 'y'], amount: 12 },
  steps: { order: { output: { amount: '4200.00', customer: { id: 'C-1' }, open: true } } },
}

test.each([
  ['${input.orderId}', 'A-1'],
  ['order ${input.orderId} of ${steps.order.output.customer.id}', 'order A-1 of C-1'],
  ['${input.amount}', 12],
  ['${input.tags}', ['x', 'y']],
  ['${input.tags[1]}', 'y'],
  ['${steps.order.output}', { amount: '4200.00', customer: { id: 'C-1' }, open: true }],
  ['amount: ${input.amount}', 'amount: 12'],
  ['costs 5 $', 'costs 5 $'],
])('%s is filled in', (text, expected) => {
  expect(fillTemplate({ a: [text] }, scope)).toEqual({ a: [expected] })
})

test.each([
  '${input.missing}',
  '${steps.none.output.x}',
  '${process.env.HOME}',
  '${input.constructor}',
  '${input.__proto__}',
  '${steps.order.output.amount.length}',
  '${1 + 1}',
  '${}',
])('%s is rejected', (text) => {
  expect(() => fillTemplate(text, scope)).toThrow(TemplateError)
})

describe('conditions', () => {
  test.each([
    ['${steps.order.output.amount} > 5000', false],
    ['${steps.order.output.amount} > 4199.99', true],
    ['${steps.order.output.amount} >= 4200', true],
    ['${steps.order.output.amount} == 4200', true],
    ['${input.amount} < 13', true],
    ['${input.amount} <= 11.5', false],
    ['${input.orderId} == "A-1"', true],
    ["${input.orderId} != 'A-1'", false],
    ['${steps.order.output.open} == true', true],
  ])('%s is %s', (condition, expected) => {
    expect(holds(condition, scope)).toBe(expected)
  })

  test.each([
    '${input.orderId} > 5',
    '5000',
    '${input.amount} > 1 && true',
    '${input.amount} > x',
    'true == ${input.open}',
  ])('%s is rejected', (condition) => {
    expect(() => holds(condition, scope)).toThrow(TemplateError)
  })
})
