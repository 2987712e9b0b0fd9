import { expect, test } from 'vitest'
import { whyNotAddress } from '#lib/schemas/notifications/channel-address.ts'
import { addressText } from './address-text.ts'

test('the page says in English what the API says of an address', () => {
  for (const kind of ['webhook', 'mail'] as const)
    for (const address of ['', 'a', 'a@b.example', 'ftp://a.example', 'https://a.example', 'https://me:it@a.example'])
      expect(addressText(kind, address)).toBe(whyNotAddress(kind, address))
  expect(addressText('slack', 'https://me@a.example')).toBe('The address must not contain a user or password.')
})
