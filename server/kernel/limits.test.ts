import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { wireLimits } from './limits.ts'

test('docs/limits.md states every limit', async () => {
  const page = await readFile(new URL('../../docs/limits.md', import.meta.url), 'utf8')
  const { lookMs, headersMs, bodyMs, ...arrival } = wireLimits.arrival
  const { arrival: _, socket, ...counted } = wireLimits
  const { credentialsMs, ...message } = socket
  const numbers = [...Object.values(counted), message, arrival].flatMap((limit) =>
    typeof limit === 'number' ? [limit] : Object.values(limit),
  )
  const stated = [
    ...numbers.map((value) => value.toLocaleString('en')),
    `${headersMs / 1000} seconds`,
    `${bodyMs / 1000} seconds`,
    `connection parameters of a socket | ${credentialsMs / 1000} seconds`,
  ]
  for (const value of stated)
    expect(page).toMatch(new RegExp(`(^|[^\\d,])${value.replace('|', '\\|')}($|[^\\d,]|,[^\\d])`, 'm'))
  expect(lookMs).toBeLessThanOrEqual(1000)
})
