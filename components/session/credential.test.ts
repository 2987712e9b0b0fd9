import { User } from 'oidc-client-ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { tokenOf } from './credential.ts'

const now = Date.UTC(2026, 10, 28)
const hourMs = 3_600_000

beforeEach(() => void vi.useFakeTimers({ now }))
afterEach(() => void vi.useRealTimers())

/** A person whose id_token was issued at `issuedMs`, by the provider's clock. */
const person = (id_token: string, issuedMs: number) =>
  new User({
    access_token: 'token',
    token_type: 'DPoP',
    id_token,
    expires_at: now / 1000 + 300,
    profile: { iss: 'https://provider.example', sub: 'jonas', aud: 'console', exp: 0, iat: issuedMs / 1000 },
  })

it('takes the clock of the provider from a new id_token', () => {
  const signedIn = person('first', now - hourMs)
  expect(tokenOf(signedIn)).toMatchObject({ aheadMs: -hourMs, expiresAt: now + 300_000, scheme: 'DPoP' })
  expect(tokenOf(person('second', now + 2000), { person: signedIn, token: undefined }).aheadMs).toBe(2000)
})

it('keeps the clock at a renewal without an id_token', () => {
  const signedIn = person('first', now + 2000)
  const token = tokenOf(signedIn)
  vi.setSystemTime(now + hourMs)
  expect(tokenOf(person('first', now + 2000), { person: signedIn, token }).aheadMs).toBe(2000)
  // In a page that was just loaded nothing is known of it, and the device's own clock is the best guess.
  expect(tokenOf(person('first', now + 2000), { person: signedIn, token: undefined }).aheadMs).toBe(0)
})
