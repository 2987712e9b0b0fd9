import { expect, test } from 'vitest'
import type { Report, State } from '#lib/verify/report.ts'
import { resultWords } from './result-words.ts'

const found = (integrity: State, origin: State, log: State, completeness: State, freshness: State) =>
  resultWords({ verdicts: { integrity, origin, log, completeness, freshness } as Report['verdicts'] })

test('a result names how many answers hold, fail and are open, failures first', () => {
  expect(found('holds', 'holds', 'holds', 'holds', 'holds')).toBe('all five answers hold')
  expect(found('holds', 'holds', 'holds', 'holds', 'not checked')).toBe('four answers hold, one was not checked')
  expect(found('fails', 'holds', 'fails', 'not checked', 'not checked')).toBe(
    'two answers fail, one answer holds, two were not checked',
  )
  expect(found('fails', 'holds', 'holds', 'holds', 'holds')).toBe('one answer fails, four answers hold')
})
