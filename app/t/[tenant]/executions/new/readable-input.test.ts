import { expect, test } from 'vitest'
import { canBeRead, different } from './readable-input.ts'

const masked = { $masked: { class: 'pii.email', length: 17 } }
const erased = [{ at: '2026-11-23T09:00:00.000Z', erasureId: null, by: null }]

test('an input is offered only if every value of it can be read', () => {
  expect(canBeRead({ input: { orderId: 'A-1003' }, erased: [] })).toBe(true)
  expect(canBeRead({ input: { customer: { email: masked } }, erased: [] })).toBe(false)
  expect(canBeRead({ input: { lines: [{ note: masked }] }, erased: [] })).toBe(false)
  expect(canBeRead({ input: { orderId: '[erased]' }, erased })).toBe(false)
  expect(canBeRead({ input: {}, erased: [] })).toBe(false)
})

test('equal inputs are offered once', () => {
  expect(different([{ a: 1 }, { a: 2 }, { a: 1 }], (one) => one)).toEqual([{ a: 1 }, { a: 2 }])
})
