import { expect, test } from 'vitest'
import { failureOf, RequestError } from '#lib/failure.ts'
import { NotSent, resultOf } from './result.ts'

const after = (...args: Parameters<typeof failureOf>) => resultOf(new RequestError(failureOf(...args))).is

test('an act counts as refused only if it certainly had no effect', () => {
  expect(resultOf(new NotSent('It has expired.'))).toEqual({ is: 'refused', why: 'It has expired.' })
  expect(after('already_decided', 'Already decided.', 409)).toBe('refused')
  expect(after('integrity_failed', 'The stored approval is not the one in the audit log.', 500)).toBe('refused')
  expect(after('internal', 'Unexpected.', 500)).toBe('unknown')
  expect(after('network', 'The connection was lost.')).toBe('unknown')
})
