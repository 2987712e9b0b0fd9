import { externalId } from './cases.ts'
import { expect, expectAccessible, test } from './fixtures.ts'

const PAGES = [
  ['agents/nonsense', 'The agent can’t be found.'],
  ['agents/nonsense/compare', 'The agent can’t be found.'],
  ['policies/nonsense', 'The policy can’t be found.'],
  ['policies/decisions/nonsense', 'The decision can’t be found.'],
  ['executions/nonsense', 'The execution can’t be found.'],
  ['approvals/nonsense', 'The request can’t be found.'],
  ['traces/nonsense', 'The trace can’t be found.'],
] as const

test('an address with a malformed id is reported as not found', async ({ signedIn, troubles }) => {
  troubles.expect(/status of 400/)
  const page = await signedIn('maria')
  for (const [path, words] of PAGES) {
    await page.goto(`/t/${externalId()}/${path}`)
    await expect(page.getByText(words)).toBeVisible()
  }
  await expectAccessible(page)
})
