import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { logRefusal } from './refusals.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})

function recorder() {
  const lines: [fields: object, message: string][] = []
  return { log: { info: (fields: object, message: string) => void lines.push([fields, message]) }, lines }
}

test('a flood from one source is five lines a minute and a count of the rest', () => {
  const { log, lines } = recorder()
  for (let index = 0; index < 500; index++) logRefusal(log, { reason: `bad ${index}` }, 'refused')
  for (let index = 0; index < 20; index++) logRefusal(log, {}, 'a token request was refused')
  expect(lines).toHaveLength(5)
  expect(lines[4]).toEqual([{ reason: 'bad 4', address: undefined }, 'refused'])
  vi.advanceTimersByTime(60_000)
  expect(lines[5]).toEqual([
    { unlogged: { refused: 495, 'a token request was refused': 20 } },
    'further refusals were not logged',
  ])
  logRefusal(log, {}, 'refused')
  expect(lines).toHaveLength(7)
})

test('a minute in which everything was logged ends without a line', () => {
  const { log, lines } = recorder()
  logRefusal(log, { reason: 'x'.repeat(5000) }, 'refused')
  vi.advanceTimersByTime(120_000)
  expect(lines).toEqual([[{ reason: 'x'.repeat(200), address: undefined }, 'refused']])
})
