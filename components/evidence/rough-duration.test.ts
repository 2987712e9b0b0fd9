import { expect, test } from 'vitest'
import { roughDuration } from './rough-duration.ts'

test.each([
  [0, 'a few seconds'],
  [3, 'a few seconds'],
  [15, 'about half a minute'],
  [45, 'about 1 minute'],
  [100, 'about 2 minutes'],
  [5399, 'about 90 minutes'],
  [5400, 'about 2 hours'],
])('an estimate of %d seconds is %s', (seconds, text) => {
  expect(roughDuration(seconds)).toBe(text)
})
