import { javascript } from '../bench/cases/case-14-javascript.ts'
import { expect, test } from './fixtures.ts'

// Counted in the build that these tests use, so the figures are the same on every machine (docs/decisions/0105).
test('no page loads more JavaScript first than its limit', async () => {
  const pages = (await javascript()).filter(({ job }) => job.startsWith('first-load JavaScript: /'))
  expect(pages.length).toBeGreaterThan(30)
  expect(pages.filter(({ met }) => met !== 'yes').map(({ job, ours }) => `${job}: ${ours}`)).toEqual([])
})
