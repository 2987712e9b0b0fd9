import { expect, test } from 'vitest'
import { originOf } from './secrets.ts'

test.each([
  ['https://crm.example', 'https://crm.example'],
  ['https://CRM.example/', 'https://crm.example'],
  ['https://crm.example:443', 'https://crm.example'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['https://[2001:DB8::1]:8443', 'https://[2001:db8::1]:8443'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
])('%s is the origin %s', (text, origin) => expect(originOf(text)).toBe(origin))

test.each([
  '',
  'crm.example',
  'ftp://crm.example',
  'https://crm.example/mcp',
  'https://crm.example?q',
  'https://crm.example#a',
  'https://me:word@crm.example',
  'https://crm.example\\@other.example',
  'https://crm.example other',
  'https://crm.example:99999',
  'https://*.example',
])('%j is not the address of an origin', (text) => expect(originOf(text)).toBeUndefined())
