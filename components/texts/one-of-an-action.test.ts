import { expect, test } from 'vitest'
import { lastOfAction } from './approval-history/en.ts'

test('one earlier decision is a sentence of its own, without counts', () => {
  expect(lastOfAction({ count: 1, approved: '0', rejected: '1' })).toBe('the last one of this action was rejected')
  expect(lastOfAction({ count: 1, approved: '1', rejected: '0' })).toBe('the last one of this action was approved')
  expect(lastOfAction({ count: 3, approved: '2', rejected: '1' })).toBe(
    'the last 3 of this action: 2 approved, 1 rejected',
  )
})
