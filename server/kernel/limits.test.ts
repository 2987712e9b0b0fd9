import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { wireLimits } from './limits.ts'

test('docs/limits.md states every limit', async () => {
  const page = await readFile(new URL('../../docs/limits.md', import.meta.url), 'utf8')
  const { lookMs, headersMs, bodyMs, ...arrival } = wireLimits.arrival
  const { arrival: _, ...counted } = wireLimits
  const numbers = [...Object.values(counted), arrival].flatMap((limit) =>
    typeof limit === 'number' ? [limit] : Object.values(limit),
  )
  const stated = [
    ...numbers.map((value) => value.toLocaleString('en')),
    `${headersMs / 1000} seconds`,
    `${bodyMs / 1000} seconds`,
  ]
  for (const value of stated) expect(page).toMatch(new RegExp(`(^|[^\\d,])${value}($|[^\\d,]|,[^\\d])`, 'm'))
  expect(lookMs).toBeLessThanOrEqual(1000)
})
