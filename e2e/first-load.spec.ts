import { javascript } from '../bench/cases/case-14-javascript.ts'
import { expect, test } from './fixtures.ts'

// Counted in the build that these tests use, so the figures are the same on every machine (docs/decisions/0105).
test('neither the shell nor a page loads more JavaScript first than its limit', async () => {
  const loads = await javascript()
  expect(loads.length).toBeGreaterThan(30)
  expect(loads.filter(({ met }) => met !== 'yes').map(({ job, ours }) => `${job}: ${ours}`)).toEqual([])
})
