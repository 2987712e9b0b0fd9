import { expect, test } from 'vitest'
import { parseRuntimeConfig } from './runtime-config.ts'

test('reads what the shell writes', () => {
  const config = { authUrl: 'https://id.example', version: '1.2.3' }
  expect(parseRuntimeConfig(JSON.stringify(config), 'http://here')).toEqual(config)
})

test('without an element the page’s own origin is the provider', () => {
  expect(parseRuntimeConfig(undefined, 'http://here').authUrl).toBe('http://here')
})

test.each(['{}', '[]', 'null', '{"authUrl":1,"version":"1"}'])('refuses %s', (text) => {
  expect(() => parseRuntimeConfig(text, 'http://here')).toThrow('countersign-config')
})
