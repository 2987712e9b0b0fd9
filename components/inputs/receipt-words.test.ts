import { expect, test } from 'vitest'
import type { Receipt } from '#lib/schemas/inputs.ts'
import { receiptWords } from './receipt-words.ts'

const at = '2026-11-20T12:00:00.000Z'
const later = '2026-11-27T12:00:00.000Z'

const receipt = (change: Partial<Receipt>): Receipt => ({
  receiptId: 'r',
  status: 'received',
  correlation: { executionId: 'e', input: 'confirmation' },
  admission: {
    result: 'accepted',
    at,
    submittedBy: { id: 'm', displayName: 'Maria', username: 'maria', kind: 'person' },
    fingerprint: `sha256:${'0'.repeat(64)}`,
    idempotencyKey: 'key',
    source: null,
    id: null,
    type: null,
    subject: null,
    expiresAt: later,
  },
  match: null,
  delivery: null,
  application: null,
  revision: 1,
  ...change,
})

const labels = (change: Partial<Receipt>) =>
  Object.values(receiptWords(receipt(change))).map(({ label, note = '' }) => `${label}; ${note}`)

test('an event without a wait is kept, and shows until when', () => {
  expect(receiptWords(receipt({})).match).toEqual({
    status: 'pending',
    label: 'No matching wait yet',
    keptUntil: later,
  })
  expect(labels({})).toEqual(['Accepted; ', 'No matching wait yet; ', 'Not yet; ', 'Not yet; '])
})

test('a matched event is delivered and applied', () => {
  const match = { waitId: 'w', stepId: 'ok', waitStatus: 'satisfied' as const, at }
  expect(
    labels({
      status: 'accepted',
      match,
      delivery: { resolutionId: 's', status: 'delivered', attempts: 1, at },
      application: { status: 'applied', at },
    }),
  ).toEqual(['Accepted; ', 'Matched; With the wait of step ok', 'Delivered; ', 'Applied; '])
})

test('an event that came too late, or that no wait matched, is never delivered', () => {
  expect(labels({ status: 'wait_terminal' })).toEqual([
    'Accepted; ',
    'Too late; Its wait was already closed',
    'Never; ',
    'Never; ',
  ])
  expect(labels({ status: 'unmatched_expired' })[1]).toBe('Expired; No wait matched it before it expired')
})

test('a delivery with an unknown outcome is shown as neither failed nor delivered', () => {
  const words = receiptWords(
    receipt({
      status: 'accepted',
      delivery: { resolutionId: 's', status: 'unknown', attempts: 1, at: null },
      application: { status: 'not_applied', at: null },
    }),
  )
  expect(words.delivery.label).toBe('Outcome unknown')
  expect(words.application.label).toBe('Not applied yet')
})
