import { expect, test } from 'vitest'
import { whyNotForUs, whyNotFromAsked } from './id-token.ts'

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
