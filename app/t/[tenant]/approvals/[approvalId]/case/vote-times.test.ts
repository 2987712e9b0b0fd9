import { expect, test } from 'vitest'
import { isEscalated, tookMs } from './vote-times.ts'

const requestedAt = '2026-11-23T09:00:00.000Z'
const vote = (
  seconds: number,
  stage: number,
  escalationLevel: number,
  decision: 'approve' | 'escalate' = 'approve',
) => ({
  at: new Date(Date.parse(requestedAt) + seconds * 1000).toISOString(),
  stage,
  escalationLevel,
  decision,
})

test('the time of a vote runs from the moment at which its group was asked', () => {
  const votes = [vote(60, 0, 0), vote(90, 1, 0, 'escalate'), vote(95, 1, 1), vote(100, 2, 1)]
  expect(votes.map((one) => tookMs(one, votes, requestedAt))).toEqual([60_000, 30_000, 5_000, 5_000])
  expect(votes.map((one) => isEscalated(one, votes))).toEqual([false, false, true, false])
})

test('two people of one group have the same beginning', () => {
  const votes = [vote(60, 0, 0), vote(80, 0, 0)]
  expect(votes.map((one) => tookMs(one, votes, requestedAt))).toEqual([60_000, 80_000])
})
