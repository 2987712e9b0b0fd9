import { expect, test } from 'vitest'
import { playwrightCounts, playwrightTimes } from './playwright.mjs'

type Note = { type: string; description: string }
const spec = (title: string, status: 'expected' | 'unexpected' | 'skipped', annotations: Note[] = []) => ({
  file: 'approval-states.spec.ts',
  line: 30,
  title,
  ok: status !== 'unexpected',
  tests: [
    {
      status,
      annotations,
      results: [{ duration: 40, ...(status === 'unexpected' && { error: { message: `${title} broke` } }) }],
    },
  ],
})
const cases = (count: number): Note => ({ type: 'cases', description: String(count) })

test('counts the cases of the tests that count them, and every other test once, in nested suites too', () => {
  const time = { type: 'time', description: 'expired: 40 ms' }
  const { passed, failed, lines } = playwrightCounts({
    suites: [
      { specs: [spec('four views', 'expected', [cases(4), time]), spec('plain', 'expected')] },
      { suites: [{ specs: [spec('two pages', 'expected', [cases(4), cases(4)])] }] },
    ],
  })
  expect([passed, failed]).toEqual([13, 0])
  expect(lines).toEqual(['4 cases: four views', 'expired: 40 ms', '8 cases: two pages'])
})

test('a failed test counts once, with its place and its error, whatever it had counted before', () => {
  const report = playwrightCounts({ suites: [{ specs: [spec('four views', 'unexpected', [cases(3)])] }] })
  expect([report.passed, report.failed]).toEqual([0, 1])
  expect(report.causes).toEqual([{ title: 'e2e/approval-states.spec.ts:30 › four views', message: 'four views broke' }])
})

test('a test that was skipped has not passed', () => {
  expect(playwrightCounts({ suites: [{ specs: [spec('later', 'skipped')] }] })).toMatchObject({ passed: 0, failed: 0 })
})

test('the time of a file is that of all its tests', () => {
  const report = { suites: [{ specs: [spec('one', 'expected')], suites: [{ specs: [spec('two', 'unexpected')] }] }] }
  expect(playwrightTimes(report)).toEqual([['e2e/approval-states.spec.ts', 80]])
})
