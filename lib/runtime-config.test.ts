import { expect, test } from 'vitest'
import { parseRuntimeConfig } from './runtime-config.ts'

test('reads the configuration that the shell writes', () => {
  const config = { authUrl: 'https://id.example', version: '1.2.3', passwords: true as const }
  expect(parseRuntimeConfig(JSON.stringify(config), 'http://here')).toEqual(config)
})

test('defaults to the page’s own origin as the provider', () => {
  expect(parseRuntimeConfig(undefined, 'http://here').authUrl).toBe('http://here')
})

test.each(['{}', '[]', 'null', '{"authUrl":1,"version":"1"}'])('rejects %s', (text) => {
  expect(() => parseRuntimeConfig(text, 'http://here')).toThrow('countersign-config')
})
