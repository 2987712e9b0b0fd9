import { expect, test } from 'vitest'
import { organisationOf } from './organisation-of.ts'

test.each([
  [' Acme ', 'acme'],
  ['maria@acme.example', 'acme'],
  ['Maria@Mail.ACME.example', 'acme'],
  ['maria@acme.co.uk', 'acme'],
  ['"a@b"@acme.example', 'acme'],
  ['maria@co.uk', 'co'],
  ['maria@acme', ''],
  ['maria@', ''],
  ['@', ''],
])('%j means %j', (text, organisation) => {
  expect(organisationOf(text)).toBe(organisation)
})
