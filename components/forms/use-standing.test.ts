import { expect, test } from 'vitest'
import { failureOf } from '#lib/failure.ts'
import { standing } from './use-standing.ts'

const refused = failureOf('validation_failed', 'Choose another person as the delegate.', 400)

test('a refusal stands until a field is changed, and the next one stands again', () => {
  expect(standing(undefined, undefined)).toBeUndefined()
  expect(standing(refused, undefined)).toBe(refused)
  expect(standing(refused, refused)).toBeUndefined()
  expect(standing({ ...refused }, refused)).toEqual(refused)
})

test('an outcome that is unknown stays so', () => {
  const lost = failureOf('network', 'The server can’t be reached.')
  expect(standing(lost, lost)).toBe(lost)
})
