import { expect, test } from 'vitest'
import { recordFailure, recordSuccess, secondsToWait } from './throttle.ts'

const attempt = (changes = {}) => ({ tenantId: 't', username: 'maria', address: '192.0.2.1', ...changes })
const failTenTimes = (who: ReturnType<typeof attempt>, from: number) => {
  for (let failure = 0; failure < 10; failure++) recordFailure(who, from + failure)
}

test('ten failures block one account at one address until the window is over', () => {
  const who = attempt()
  for (let failure = 0; failure < 9; failure++) recordFailure(who, 0)
  expect(secondsToWait(who, 0)).toBeUndefined()
  recordFailure(who, 0)
  expect(secondsToWait(who, 0)).toBe(300)
  expect(secondsToWait(who, 299_001)).toBe(1)
  expect(secondsToWait(who, 300_000)).toBeUndefined()
  recordFailure(who, 300_000)
  expect(secondsToWait(who, 300_000)).toBeUndefined()
})

test('another address, name or tenant is not blocked', () => {
  failTenTimes(attempt({ username: 'jonas' }), 0)
  expect(secondsToWait(attempt({ username: 'jonas' }), 10)).toBeDefined()
  for (const other of [{ address: '192.0.2.2' }, { username: 'anna' }, { tenantId: 'u' }])
    expect(secondsToWait(attempt({ username: 'jonas', ...other }), 10)).toBeUndefined()
})

test('a success clears the failures before it', () => {
  const who = attempt({ username: 'omar' })
  for (let failure = 0; failure < 9; failure++) recordFailure(who, 0)
  recordSuccess(who)
  recordFailure(who, 0)
  expect(secondsToWait(who, 0)).toBeUndefined()
})

test('a flood of names does not grow without bound: the oldest are dropped', () => {
  const first = attempt({ username: 'first' })
  failTenTimes(first, 0)
  for (let name = 0; name < 10_000; name++) recordFailure(attempt({ username: `flood-${name}` }), 0)
  expect(secondsToWait(first, 0)).toBeUndefined()
})
