import { expect, test } from 'vitest'
import { mergeSimulation, type SimulationPage } from './merge-simulation.ts'

type Item = SimulationPage['items'][number]

const item = (decisionId: string, before: Item['before'], after: Item['after']): Item => ({
  decisionId,
  decidedAt: '2026-11-20T12:00:00.000Z',
  agentId: 'a',
  action: 'ToolCall',
  resource: 'bank/pay',
  before,
  after,
  reasonsBefore: [],
  reasonsAfter: [],
})

const page = (items: Item[], nextCursor: string | null): SimulationPage => ({
  evaluated: 200,
  changed: items.length,
  flips: items.map(({ before, after }) => ({ before, after, count: 1 })),
  items,
  nextCursor,
})

test('pages add up, and decisions that would become more permissive come first whichever page contains them', () => {
  const first = page([item('1', 'allow', 'deny')], '1')
  const second = page([item('2', 'deny', 'allow'), item('3', 'allow', 'deny')], null)
  const all = mergeSimulation(mergeSimulation(undefined, first), second)
  expect(all.items.map(({ decisionId }) => decisionId)).toEqual(['2', '1', '3'])
  expect(all.flips).toEqual([
    { before: 'deny', after: 'allow', count: 1 },
    { before: 'allow', after: 'deny', count: 2 },
  ])
  expect([all.evaluated, all.changed, all.nextCursor]).toEqual([400, 3, null])
  // Merging does not modify its inputs.
  expect(first.flips).toEqual([{ before: 'allow', after: 'deny', count: 1 }])
})

test('decisions that could not be tried add up, also next to a page of a server that does not count them', () => {
  const counted = { ...page([], '1'), notStored: 2 }
  expect(mergeSimulation(mergeSimulation(counted, page([], '2')), { ...page([], null), notStored: 1 }).notStored).toBe(
    3,
  )
})
