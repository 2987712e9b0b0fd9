import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { checkPolicy } from './check.ts'

test('the demo policy passes every check', async () => {
  const source = await readFile(new URL('../demo/refund-policy.cedar', import.meta.url), 'utf8')
  expect(await checkPolicy(source)).toEqual([])
})
