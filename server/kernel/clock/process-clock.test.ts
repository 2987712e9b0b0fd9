import { expect, test } from 'vitest'
import { clockBehind, ordinaryTime, setClockBehind } from './process-clock.ts'

// One test: the clock of a process does not go back to an earlier setting.
test('the clock of a process is set back once, only catches up, and is then the ordinary one', () => {
  const day = 86_400_000
  expect(clockBehind()).toBe(0)
  setClockBehind(14 * day)
  const off = () => ordinaryTime() - 14 * day
  const [before, now, made, called, after] = [off(), Date.now(), new Date(), Date.parse(Date()), off()]
  for (const time of [now, made.getTime()]) expect(time >= before && time <= after).toBe(true)
  expect(Math.abs(called - before)).toBeLessThanOrEqual(1000)
  expect(new Date()).toBeInstanceOf(Date)
  expect(new Date('2026-01-02T03:04:05.006Z').toISOString()).toBe('2026-01-02T03:04:05.006Z')
  expect(Date.UTC(2026, 0, 2)).toBe(Date.parse('2026-01-02T00:00:00Z'))
  class Later extends Date {}
  expect(new Later(5)).toBeInstanceOf(Later)
  expect(() => setClockBehind(14 * day + 1)).toThrow('only moves forward')
  for (const wrong of [-1, 0.5, Number.NaN]) expect(() => setClockBehind(wrong)).toThrow(RangeError)
  setClockBehind(day)
  expect(() => setClockBehind(2 * day)).toThrow('only moves forward')
  setClockBehind(0)
  const [first, then, last] = [ordinaryTime(), Date.now(), ordinaryTime()]
  expect(then >= first && then <= last).toBe(true)
})
