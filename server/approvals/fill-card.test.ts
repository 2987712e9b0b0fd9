import { describe, expect, test } from 'vitest'
import type { Scope } from '#lib/rules/template.ts'
import { ApprovalCard } from '#lib/schemas/manifest.ts'
import { fillCard } from './fill-card.ts'

const masked = { $masked: { class: 'pii.email', length: 23 } }
const scope: Scope = {
  input: { up: '..', dot: '.', nothing: null, forged: { $masked: null }, orderId: 'A/1 ?', note: 'x'.repeat(600) },
  steps: { order: { output: { amount: '4200.00', currency: 'EUR', customer: { name: 'Elif', email: masked } } } },
}
const card = (declared: object) => fillCard(ApprovalCard.parse(declared), scope)
const fact = (value: string) => card({ facts: [{ label: 'Fact', value }] })?.facts[0]

describe('a fact', () => {
  test('names the input or the steps that it comes from', () => {
    expect(fact('${steps.order.output.amount} ${steps.order.output.currency} for ${input.orderId}')).toEqual({
      label: 'Fact',
      value: '4200.00 EUR for A/1 ?',
      from: ['order', 'input'],
    })
  })

  test.each([
    '${input.nothing}',
    '${steps.none.output.x}',
    'Order ${input.missing}',
    '${process.env.HOME}',
    '${input.__proto__}',
  ])('is unknown when %s does not have a value', (value) => {
    expect(fact(value)?.value).toBeNull()
  })

  test.each([
    '${steps.order.output.customer.email}',
    'Mail to ${steps.order.output.customer.email}',
    '${steps.order.output}',
  ])('is masked as a whole when %s contains a masked value', (value) => {
    expect(fact(value)).toMatchObject({ value: null, masked: { class: 'pii.email', length: 23 } })
  })

  test('is not masked by an object that only looks like it', () => {
    expect(fact('${input.forged}')).toEqual({ label: 'Fact', value: '{"$masked":null}', from: ['input'] })
  })

  test('is cut at 500 characters', () => {
    expect(fact('${input.note}')?.value).toBe(`${'x'.repeat(499)}…`)
  })
})

describe('a fact that does not apply is left out', () => {
  const labels = (leftOut: 'none' | 'facts of steps' | 'unknown facts') => {
    const facts = [
      { label: 'input', value: '${input.orderId}' },
      { label: 'missing', value: '${input.missing}' },
      { label: 'step', value: '${steps.order.output.amount}' },
      { label: 'masked', value: '${steps.order.output.customer.email}' },
      { label: 'fixed', value: 'EU' },
    ]
    return fillCard(ApprovalCard.parse({ facts }), scope, leftOut)?.facts.map(({ label }) => label)
  }

  test('none in a plan', () => expect(labels('none')).toEqual(['input', 'missing', 'step', 'masked', 'fixed']))
  test('those of steps without a plan', () => expect(labels('facts of steps')).toEqual(['input', 'missing', 'fixed']))
  test('those without a value where the card is about something else', () =>
    expect(labels('unknown facts')).toEqual(['input', 'step', 'masked', 'fixed']))
})

test('a masked or unknown value leaves the card without its title', () => {
  expect(card({ title: 'Order ${input.orderId}' })?.title).toBe('Order A/1 ?')
  expect(card({ title: 'Order of ${steps.order.output.customer.email}' })?.title).toBeNull()
  expect(card({ title: 'Order of ${input.missing}' })?.title).toBeNull()
})

describe('a link', () => {
  const links = (url: string) => card({ links: [{ label: 'Order', url }] })?.links

  test('encodes values, so that they stay within their part of the address', () => {
    expect(links('https://crm.example/orders/${input.orderId}?of=${steps.order.output.customer.name}')).toEqual([
      { label: 'Order', url: 'https://crm.example/orders/A%2F1%20%3F?of=Elif', host: 'crm.example' },
    ])
  })

  test.each(['https://crm.example/${input.missing}', 'https://crm.example/${steps.order.output.customer.email}'])(
    '%s is left out, because its value is unknown or masked',
    (url) => {
      expect(links(url)).toEqual([])
    },
  )

  test.each(['https://crm.example/a/${input.up}/b', 'https://crm.example/a/${input.dot}${input.dot}/b'])(
    '%s is left out, because it would lead to another page',
    (url) => {
      expect(links(url)).toEqual([])
    },
  )

  test.each([
    'http://crm.example/',
    'javascript:alert(1)',
    'https://${input.orderId}.example/',
    'https://crm.example${input.orderId}/',
    'https://user:pass@crm.example/',
    'https://crm.example\\@evil.example/',
  ])('%s is refused', (url) => {
    expect(ApprovalCard.safeParse({ links: [{ label: 'Order', url }] }).success).toBe(false)
  })
})

test('at most 12 facts, with labels of 40 and templates of 500 characters', () => {
  const one = { label: 'x'.repeat(40), value: 'y'.repeat(500) }
  expect(ApprovalCard.safeParse({ facts: Array(12).fill(one) }).success).toBe(true)
  expect(ApprovalCard.safeParse({ facts: Array(13).fill(one) }).success).toBe(false)
  expect(ApprovalCard.safeParse({ facts: [{ ...one, label: 'x'.repeat(41) }] }).success).toBe(false)
  expect(ApprovalCard.safeParse({ facts: [{ ...one, value: 'y'.repeat(501) }] }).success).toBe(false)
})
