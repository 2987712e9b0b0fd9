import { describe, expect, test } from 'vitest'
import type { Approval } from '#lib/schemas/approvals.ts'
import { type BulkDecision, whyNotNow, whyNotTogether } from './bulk.ts'
import { requestWith } from './example-request.ts'
import type { Request } from './filter.ts'

const many = (count: number, changes: Partial<Request> = {}) =>
  Array.from({ length: count }, (_, index) =>
    requestWith({ approvalId: `r${index}`, title: `Refund ${index}`, ...changes }),
  )

const repeats = { approved: { approvalId: 'b', decidedAt: '2026-11-22T09:00:00.000Z' }, pending: 0 }

describe('requests that are selected together', () => {
  test.each<[BulkDecision, Request[]]>([
    ['approve', many(10)],
    ['reject', many(25, { risk: 'critical' })],
    ['approve', ['Tag 1', 'Tag 2'].map((cardTitle, index) => requestWith({ approvalId: `r${index}`, cardTitle }))],
    ['reject', [...many(1), requestWith({ environment: 'staging' })]],
  ])('can be decided: %s %#', (decision, requests) => {
    expect(whyNotTogether(decision, requests)).toBeUndefined()
  })

  test.each<[BulkDecision, Request[], RegExp]>([
    ['approve', [], /Select requests/],
    ['approve', many(11), /At most 10/],
    ['reject', many(26), /At most 25/],
    ['approve', [...many(1), requestWith({ risk: 'medium' })], /low risk/],
    ['approve', [...many(1), requestWith({ environment: 'staging' })], /one action/],
    ['approve', [...many(1), requestWith({ agentVersion: '2.0.0' })], /one action/],
    ['approve', [...many(1), requestWith({ resource: 'payments/pay_invoice' })], /one action/],
    [
      'approve',
      [
        ...many(1),
        requestWith({
          eligible: false,
          ineligibleReason: 'You asked for this.',
          ineligibleCode: 'separation_of_duties',
        }),
      ],
      /You asked/,
    ],
    ['approve', many(1, { title: 'Refund\u202e A-1' }), /hidden or look-alike characters/],
    [
      'approve',
      many(1, { facts: [{ label: 'Customer', value: 'E\u200blif', from: [] }] }),
      /hidden or look-alike characters/,
    ],
    [
      'approve',
      many(1, { facts: [{ label: 'Cust\u043emer', value: 'Elif', from: [] }] }),
      /hidden or look-alike characters/,
    ],
    // Another agent with the same name.
    ['approve', [...many(1), requestWith({ agentId: 'a2' })], /one action/],
    ['approve', many(1, { title: 'Refund А-1' }), /hidden or look-alike characters/],
    ['approve', [requestWith({ approvalId: 'a' }), requestWith({ approvalId: 'b' })], /selected twice/],
    ['approve', ['a', 'b'].map((approvalId) => requestWith({ approvalId, cardTitle: 'Tag' })), /selected twice/],
    ['approve', many(1, { cardTitle: 'Refund\u202e A-1' }), /hidden or look-alike characters/],
    ['approve', many(1, { repeats }), /approved for this object before/],
  ])('can’t be decided: %s %#', (decision, requests, why) => {
    expect(whyNotTogether(decision, requests)).toMatch(why)
  })
})

describe('a request that is read again before the decision', () => {
  const request = requestWith({})
  const presentation = {
    title: request.title,
    effectLabel: 'refund of €4,200.00',
    effects: ['payments.issue_refund is called once.'],
    irreversibleNote: null,
  }
  const card = { title: null, facts: [], links: [] }
  const read = (changes: Partial<Approval> = {}, args: Approval['presentation']['arguments'] = []) =>
    ({
      ...request,
      blocked: null,
      mayReject: true,
      passkey: 'not_needed',
      presentation: { ...presentation, arguments: args },
      ...changes,
    }) as Approval
  const shows = (changes: Partial<Approval['presentation']>) =>
    read({ presentation: { ...read().presentation, ...changes } })

  test('can be decided when it is as it was selected', () => {
    expect(whyNotNow('approve', request, read(), 'same')).toBeUndefined()
    expect(whyNotNow('reject', request, read({ passkey: 'needed' }), 'same')).toBeUndefined()
    expect(whyNotNow('approve', request, shows({ card: { ...card, title: 'Small refund' } }), 'same')).toBeUndefined()
  })

  test.each<[BulkDecision, Approval, RegExp]>([
    ['reject', read({ status: 'approved' }), /approved already/],
    ['reject', read({ payloadDigest: 'sha256:other' }), /changed/],
    ['reject', read({ mayReject: false }), /can’t reject/],
    ['approve', read({ passkey: 'needed' }), /passkey/],
    ['approve', read({ blocked: { code: 'already_voted', message: 'You have voted.' } }), /You have voted/],
    ['approve', read({}, [{ path: 'note', value: 'a\u200bb' }]), /hidden/],
    ['approve', shows({ effects: ['It is called tw\u200bice.'] }), /hidden/],
    ['approve', shows({ effectLabel: 'refund\u202e of €4,200.00' }), /hidden/],
    ['approve', shows({ irreversibleNote: 'This c\u0430n be undone.' }), /hidden/],
    ['approve', shows({ card: { ...card, title: '\u2066Small refund' } }), /hidden/],
    ['approve', shows({ card: { ...card, facts: [{ label: 'P\u0430id', value: '1', from: [] }] } }), /hidden/],
    [
      'approve',
      shows({ card: { ...card, links: [{ label: 'Order', url: 'https://x.test', host: 'g\u043eogle.test' }] } }),
      /hidden/,
    ],
    ['approve', read({}, [{ path: 'note', value: 'a'.repeat(201) }]), /long/],
    // With its quotes, it is longer than it is.
    ['approve', read({}, [{ path: 'note', value: `"${'a'.repeat(198)}"` }]), /long/],
    ['approve', read({ repeats }), /approved for this object before/],
  ])('can’t be decided: %s %#', (decision, now, why) => {
    expect(whyNotNow(decision, request, now, 'same')).toMatch(why)
  })

  test('can’t be decided when its digest is not that of what is shown', () => {
    for (const decision of ['approve', 'reject'] as const)
      expect(whyNotNow(decision, request, read(), 'different')).toMatch(/digest differs/)
  })

  test('can be decided while another request on its object is pending', () => {
    expect(whyNotNow('approve', request, read({ repeats: { approved: null, pending: 1 } }), 'same')).toBeUndefined()
    expect(whyNotNow('reject', request, read({ repeats }), 'same')).toBeUndefined()
  })
})
