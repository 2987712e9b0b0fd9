import { calculateJwkThumbprint, exportJWK } from 'jose'
import { expect, test } from 'vitest'
import { thumbprint } from './dpop.ts'

test('a key has the thumbprint that jose gives it', async () => {
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])
  expect(await thumbprint(keys)).toBe(await calculateJwkThumbprint(await exportJWK(keys.publicKey)))
})
