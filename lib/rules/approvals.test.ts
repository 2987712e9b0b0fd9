import { describe, expect, test } from 'vitest'
import { outcomeOf, type ReviewerFacts, seatOf, whyNotDecide, whyNotReject } from './approvals.ts'

const free: ReviewerFacts = {
  status: 'pending',
  expired: false,
  mayDecide: true,
  machine: false,
  machineDecisions: 'off',
  separationOfDuties: 'required',
  identityLink: undefined,
  inGroup: true,
  groupName: 'Refund approvers',
  voted: false,
}

test('a member of the group who did not cause the request may decide', () => {
  expect(whyNotDecide(free)).toBeUndefined()
})

test.each<[Partial<ReviewerFacts>, string]>([
  [{ status: 'approved' }, 'already_decided'],
  [{ expired: true }, 'already_decided'],
  [{ mayDecide: false }, 'forbidden'],
  [{ machine: true }, 'machine_decision'],
  [{ identityLink: 'asked for this' }, 'separation_of_duties'],
  [{ identityLink: 'asked for this', inGroup: false, voted: true }, 'separation_of_duties'],
  [{ inGroup: false }, 'not_eligible'],
  [{ voted: true }, 'already_voted'],
])('%o is blocked as %s', (facts, code) => {
  expect(whyNotDecide({ ...free, ...facts })?.code).toBe(code)
})

describe('anyone who caused a request', () => {
  const own: ReviewerFacts = { ...free, identityLink: 'asked for this' }
  const seat = { delegatorId: 'a', delegatorName: 'Anna', behindRequest: false, voted: false }

  test('may reject it, as a member of the group or not, in their own name', () => {
    expect(whyNotReject(own)).toBeUndefined()
    expect(whyNotReject({ ...own, inGroup: false })).toBeUndefined()
    expect(whyNotReject({ ...own, inGroup: false, standsIn: seat })).toBeUndefined()
    expect(seatOf({ ...own, inGroup: false, standsIn: seat })).toBeUndefined()
    expect(seatOf({ ...free, inGroup: false, standsIn: seat })).toBe(seat)
  })

  test.each<[Partial<ReviewerFacts>, string]>([
    [{ status: 'approved' }, 'already_decided'],
    [{ expired: true }, 'already_decided'],
    [{ mayDecide: false }, 'forbidden'],
    [{ machine: true }, 'machine_decision'],
    [{ voted: true }, 'separation_of_duties'],
  ])('may not reject it if %o', (facts, code) => {
    expect(whyNotReject({ ...own, ...facts })?.code).toBe(code)
  })

  test('does not let their delegate, or other people outside the group, reject it', () => {
    const delegate = { ...free, inGroup: false, standsIn: { ...seat, behindRequest: true } }
    expect(whyNotReject(delegate)?.code).toBe('separation_of_duties')
    expect(whyNotReject({ ...free, inGroup: false })?.code).toBe('not_eligible')
  })
})

test('a rule that the tenant switched off blocks no one', () => {
  expect(whyNotDecide({ ...free, identityLink: 'asked for this', separationOfDuties: 'off' })).toBeUndefined()
  expect(whyNotDecide({ ...free, machine: true, machineDecisions: 'on' })).toBeUndefined()
})

test('the quorum counts approvals, one rejection ends the request, an escalation leaves it open', () => {
  const votes = (approve: number) => Array.from({ length: approve }, () => ({ decision: 'approve' }))
  expect(outcomeOf('approve', votes(1), 2)).toBe('pending')
  expect(outcomeOf('approve', votes(2), 2)).toBe('approved')
  expect(outcomeOf('reject', [...votes(5), { decision: 'reject' }], 6)).toBe('rejected')
  expect(outcomeOf('escalate', votes(5), 1)).toBe('pending')
})

describe('a delegate', () => {
  const seat = { delegatorId: 'a', delegatorName: 'Anna', behindRequest: false, voted: false }
  const standIn: ReviewerFacts = { ...free, inGroup: false, standsIn: seat }

  test('may decide in the delegator’s place', () => {
    expect(whyNotDecide(standIn)).toBeUndefined()
  })

  test.each<[Partial<ReviewerFacts>, string]>([
    [{ standsIn: { ...seat, behindRequest: true } }, 'separation_of_duties'],
    [{ identityLink: 'asked for this' }, 'separation_of_duties'],
    [{ standsIn: { ...seat, voted: true } }, 'already_voted'],
    [{ standsIn: undefined }, 'not_eligible'],
    [{ mayDecide: false }, 'forbidden'],
    [{ voted: true }, 'already_voted'],
  ])('%o is blocked as %s', (facts, code) => {
    expect(whyNotDecide({ ...standIn, ...facts })?.code).toBe(code)
  })

  test('who is a member of the group decides in their own right', () => {
    expect(whyNotDecide({ ...free, standsIn: { ...seat, behindRequest: true, voted: true } })).toBeUndefined()
    expect(whyNotDecide({ ...free, votedInPlace: 'Omar' })?.code).toBe('already_voted')
  })
})
