import { describe, expect, test } from 'vitest'
import { requestWith } from './example-request.ts'
import { applyFilter, countFilters, filterFrom, type InboxFilter, searchOf, valuesOf } from './filter.ts'

const none = filterFrom(new URLSearchParams())
const requests = [
  requestWith({
    approvalId: 'a',
    title: 'Refund of €4,200.00 for A-1003',
    risk: 'high',
    requestedAt: '2026-11-23T08:00:00.000Z',
    environment: 'staging',
    expiresAt: '2026-11-23T12:00:00.000Z',
  }),
  requestWith({
    approvalId: 'b',
    title: 'Refund of €59.90 for A-1001',
    amount: { value: '59.90', currency: 'EUR' },
    requestedAt: '2026-11-23T07:00:00.000Z',
    group: 'Finance',
    expiresAt: '2026-11-23T10:00:00.000Z',
    facts: [{ label: 'Customer', value: 'Elif Aydin', from: ['input'] }],
    cardTitle: 'Broken counter',
  }),
  requestWith({
    approvalId: 'c',
    title: 'Release 2.0.0',
    amount: null,
    action: 'release',
    resource: '',
    agentName: null,
    requestedBy: { id: 'm2', displayName: 'Omar Haddad', username: 'omar', kind: 'person' },
    expiresAt: '2026-11-23T11:00:00.000Z',
  }),
]
const shown = (filter: Partial<InboxFilter>) =>
  applyFilter(requests, { ...none, ...filter }, Date.parse('2026-11-24T09:30:00.000Z')).map(
    ({ approvalId }) => approvalId,
  )

describe('the filters of the inbox', () => {
  test('show everything by the time that is left when none is set', () => {
    expect(shown({})).toEqual(['b', 'c', 'a'])
  })

  test.each<[string, Partial<InboxFilter>, string[]]>([
    ['risk', { risk: 'high' }, ['a']],
    ['an age that all have', { age: 'day' }, ['b', 'c', 'a']],
    ['an age that none has', { age: 'week' }, []],
    ['action', { action: 'release' }, ['c']],
    ['agent', { agent: 'Refund assistant' }, ['b', 'a']],
    ['requester', { requester: 'Omar Haddad' }, ['c']],
    ['environment', { environment: 'staging' }, ['a']],
    ['group', { group: 'Finance' }, ['b']],
    ['a group and an environment that no request has both', { group: 'Finance', environment: 'staging' }, []],
    ['lowest amount', { min: '60' }, ['a']],
    ['highest amount', { max: '59.9' }, ['b']],
    ['word of the title', { q: 'a-1003' }, ['a']],
    ['fact of the card', { q: 'elif' }, ['b']],
    ['title of the card', { q: 'counter' }, ['b']],
    ['two words in any order', { q: 'aydin refund' }, ['b']],
    ['beginning of the digest', { q: 'c0ffee' }, ['b', 'c', 'a']],
    ['two characters of the digest', { q: 'ff' }, []],
    ['text that nothing contains', { q: 'nothing' }, []],
  ])('select by %s', (_name, filter, found) => {
    expect(shown(filter)).toEqual(found)
  })

  test.each<[InboxFilter['sort'], string[]]>([
    ['newest', ['c', 'a', 'b']],
    ['oldest', ['b', 'a', 'c']],
    ['amount', ['a', 'b', 'c']],
    ['risk', ['a', 'b', 'c']],
    ['expires', ['b', 'c', 'a']],
  ])('sort by %s, equal ones by the time that is left', (sort, order) => {
    expect(shown({ sort })).toEqual(order)
  })

  test('are the same after they were written into an address and read again', () => {
    const filter: InboxFilter = { ...none, q: 'a b', risk: 'low', min: '10.50', sort: 'amount' }
    expect(filterFrom(new URLSearchParams(searchOf(filter)))).toEqual(filter)
    expect(countFilters(filter)).toBe(3)
  })

  test.each([
    ['min=abc', { min: '' }],
    ['max=-1', { max: '' }],
    ['sort=valueOf', { sort: 'expires' }],
  ])('ignore what %s says', (search, expected) => {
    expect(filterFrom(new URLSearchParams(search))).toMatchObject(expected)
  })

  test('offer the values that the list contains, risks from the highest', () => {
    expect(valuesOf('risk', requests)).toEqual(['high', 'low'])
    expect(valuesOf('action', requests)).toEqual(['payments/issue_refund', 'release'])
    expect(valuesOf('requester', requests)).toEqual(['Maria Köhler', 'Omar Haddad'])
    expect(valuesOf('environment', requests)).toEqual(['production', 'staging'])
    expect(valuesOf('group', requests)).toEqual(['Finance', 'Refund approvers'])
  })
})
