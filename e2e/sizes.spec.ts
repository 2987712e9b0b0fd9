import { javascript } from '../bench/cases/case-14-javascript.ts'
import { expect, test } from './fixtures.ts'

test('the JavaScript of every page is within its limit', async () => {
  const figures = await javascript()
  expect(figures.length).toBeGreaterThan(30)
  for (const { job, ours, target, met } of figures) expect.soft(met, `${job}: ${ours}, ${target}`).toBe('yes')
})
