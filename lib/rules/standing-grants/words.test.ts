import { expect, test } from 'vitest'
import { pastWords } from './words.ts'

const past = (requests: number, approved: number, rejected: number) =>
  pastWords({ requests, matched: approved + rejected, approved, rejected, total: null, refused: [] })

test.each([
  [0, 0, 0, 'No one decided a request for this action in the last 90 days.'],
  [1, 0, 0, 'In the last 90 days, people decided one request for this action. It would not have run under the grant.'],
  [
    1,
    1,
    0,
    'In the last 90 days, people decided one request for this action. It would have run under the grant: people approved it.',
  ],
  [
    9,
    0,
    0,
    'In the last 90 days, people decided 9 requests for this action. None of them would have run under the grant.',
  ],
  [
    9,
    7,
    0,
    'In the last 90 days, people decided 9 requests for this action. 7 of them would have run under the grant: people approved all 7.',
  ],
  [
    9,
    7,
    2,
    'In the last 90 days, people decided 9 requests for this action. All of them would have run under the grant: people approved 7 and rejected 2.',
  ],
  [
    9,
    0,
    1,
    'In the last 90 days, people decided 9 requests for this action. 1 of them would have run under the grant: people rejected it.',
  ],
  [
    9,
    0,
    2,
    'In the last 90 days, people decided 9 requests for this action. 2 of them would have run under the grant: people rejected all 2.',
  ],
])('%s requests, %s approved and %s rejected', (requests, approved, rejected, words) => {
  expect(past(requests, approved, rejected)).toBe(words)
})
