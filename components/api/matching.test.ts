import { QueryClient } from '@tanstack/react-query'
import { describe, expect, test } from 'vitest'
import { type Change, isTouched } from './matching.ts'

/** Returns the keys of the queries that a change affects. */
function touched(change: Change, queries: readonly (readonly [key: readonly unknown[], data?: unknown])[]): string[] {
  const client = new QueryClient()
  for (const [key, data] of queries) client.setQueryData(key, data ?? {})
  return client
    .getQueryCache()
    .getAll()
    .filter((query) => isTouched(query, change))
    .map(({ queryKey }) => JSON.stringify(queryKey))
}

const get = [['approvals', 'get'], { input: { approvalId: 'a' }, type: 'query' }]
const other = [['approvals', 'get'], { input: { approvalId: 'b' }, type: 'query' }]
const pending = [['approvals', 'getPending'], { input: { view: 'mine' }, type: 'pages' }]
const mails = [['approvals', 'mails', 'list'], { input: { approvalId: 'a' }, type: 'query' }]
const all = [[get], [other], [pending], [mails]] as const
const keys = (...wanted: unknown[]) => wanted.map((key) => JSON.stringify(key))

describe('a change affects', () => {
  test('the query of its object and the lists of its topic', () => {
    const [one, another] = ['a', 'b'].map((id) => [['agents', 'get'], { input: { id }, type: 'query' }])
    const list = [['agents', 'list'], { type: 'pages' }]
    expect(touched({ topic: 'agents', id: 'a' }, [[one ?? []], [another ?? []], [list]])).toEqual(keys(one, list))
    const members = [['members', 'list'], { type: 'pages' }]
    expect(touched({ topic: 'mails', id: 'm' }, [...all, [members]])).toEqual(keys(mails, members))
  })

  test('every open request, when one is decided: it may be on the same object', () => {
    expect(touched({ topic: 'approvals', id: 'a' }, all)).toEqual(keys(get, other, pending))
  })

  test('every query of its topic when it names no object', () => {
    expect(touched({ topic: 'approvals', id: null }, all)).toEqual(keys(get, other, pending))
  })

  test('lists that name another object, because their rows are not known', () => {
    const releases = [['releases', 'list'], { input: { agentId: 'x' }, type: 'pages' }]
    expect(touched({ topic: 'releases', id: 'r' }, [[releases]])).toEqual(keys(releases))
  })

  test('records that are not sealed yet, when a checkpoint is signed', () => {
    const sealed = [['audit', 'get'], { input: { auditId: 'x' } }]
    const unsealed = [['audit', 'get'], { input: { auditId: 'y' } }]
    const queries = [
      [sealed, { seal: 'sealed' }],
      [unsealed, { seal: 'pending' }],
      [get, { seal: 'pending' }],
      // Loaded before the decision that the checkpoint covers.
      [other, { seal: null }],
    ] as const
    expect(touched({ topic: 'seals', id: null }, queries)).toEqual(keys(unsealed, get, other))
  })

  test('no entries of other software in the cache', () => {
    expect(touched({ topic: 'executions', id: null }, [[['a plain key']]])).toEqual([])
  })
})
