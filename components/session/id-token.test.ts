import { expect, test } from 'vitest'
import { whyNotForUs, whyNotFromAsked, whyNotSamePerson } from './id-token.ts'

const asked = { issuer: 'https://auth.example/realms/northwind', clientId: 'countersign-console' }

test.each([
  ['one audience', asked.clientId],
  ['a list of audiences', ['account', asked.clientId]],
])('an id_token of the issuer that was asked is accepted with %s', (_name, aud) => {
  expect(whyNotForUs({ iss: asked.issuer, aud }, asked)).toBeUndefined()
})

test.each([
  ['another realm', { iss: 'https://auth.example/realms/globex', aud: asked.clientId }, 'another organisation'],
  ['a longer address', { iss: `${asked.issuer}/`, aud: asked.clientId }, 'another organisation'],
  ['another client', { iss: asked.issuer, aud: 'countersign-cli' }, 'another application'],
  ['a longer name', { iss: asked.issuer, aud: `${asked.clientId}-2` }, 'another application'],
  ['no audience', { iss: asked.issuer, aud: [] }, 'another application'],
])('an id_token for %s is refused', (_name, claims, reason) => {
  expect(whyNotForUs(claims, asked)).toContain(reason)
})

const callback = (iss?: string) =>
  `https://console.example/auth/callback?${new URLSearchParams({ code: 'c', state: 's', ...(iss === undefined ? {} : { iss }) })}`

test.each([
  ['names the issuer that was asked', asked.issuer],
  ['names none', undefined],
])('a response that %s gets a token request', (_name, iss) => {
  expect(whyNotFromAsked(callback(iss), asked)).toBeUndefined()
})

test.each([
  ['another realm', 'https://auth.example/realms/globex'],
  ['a longer address', `${asked.issuer}/`],
  ['an empty name', ''],
])('a response of %s gets none, so that its code is sent to no one', (_name, iss) => {
  expect(whyNotFromAsked(callback(iss), asked)).toContain('another organisation')
})

const before = { sub: 'maria', auth_time: 1_700_000_000, azp: asked.clientId }

test.each([
  ['the same claims', before],
  ['no time of sign-in, which a renewal may leave out', { sub: 'maria', azp: asked.clientId }],
])('the id_token of a renewal with %s continues the session', (_name, claims) => {
  expect(whyNotSamePerson(claims, before)).toBeUndefined()
})

test.each([
  ['another person', { ...before, sub: 'jonas' }],
  ['no person', { auth_time: before.auth_time, azp: before.azp }],
  ['another sign-in', { ...before, auth_time: before.auth_time + 1 }],
  ['another party', { ...before, azp: 'countersign-cli' }],
  ['no party', { sub: 'maria' }],
])('the id_token of a renewal with %s ends the session', (_name, claims) => {
  expect(whyNotSamePerson(claims, before)).toBeDefined()
})
