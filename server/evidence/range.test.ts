import { expect, test } from 'vitest'
import { rangeOf } from './range.ts'

const etag = '"sha256:aa"'
const archive = { bytes: 1000, etag }

test.each([
  ['bytes=0-', { start: 0, end: 999 }],
  ['bytes=999-', { start: 999, end: 999 }],
  ['bytes=100-199', { start: 100, end: 199 }],
  ['bytes=100-5000', { start: 100, end: 999 }],
  ['bytes=-1', { start: 999, end: 999 }],
  ['bytes=-5000', { start: 0, end: 999 }],
  ['bytes=1000-', 'none'],
  ['bytes=1000-1001', 'none'],
  ['bytes=-0', 'none'],
  // What can't be understood is ignored, and so are several ranges.
  ['bytes=5-4', undefined],
  ['bytes=-', undefined],
  ['bytes=a-b', undefined],
  ['bytes=0-1,5-6', undefined],
  ['items=0-1', undefined],
  [undefined, undefined],
])('%s of 1,000 bytes', (range, wanted) => {
  expect(rangeOf({ range }, archive)).toEqual(wanted)
})

test.each([
  [etag, { start: 5, end: 999 }],
  ['"sha256:bb"', undefined],
  [`W/${etag}`, undefined],
  ['Sun, 22 Nov 2026 10:00:00 GMT', undefined],
])('a range only if the archive is still %s', (ifRange, wanted) => {
  expect(rangeOf({ range: 'bytes=5-', ifRange }, archive)).toEqual(wanted)
})
