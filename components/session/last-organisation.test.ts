import { expect, test } from 'vitest'
import { safeReturnTo } from './last-organisation.ts'

const ORIGIN = 'https://countersign.example'

test.each([
  ['/t/org-northwind-mutual'],
  ['/t/org-northwind-mutual/approvals/0198c000?view=mine'],
  ['/t/org-northwind-mutual/traces/0af7?span=1#x'],
])('%s is a page to return to', (path) => {
  expect(safeReturnTo(path, ORIGIN)).toBe(path)
})

test.each([
  [undefined],
  [''],
  ['/'],
  ['/sign-in'],
  ['/t/'],
  ['//evil.example/t/x'],
  ['https://evil.example/t/x'],
  ['/\\evil.example'],
  ['/t/../../evil'],
  ['/t/..//evil.example'],
  ['/t/%2e%2e/sign-in'],
  ['/t/a b'],
  ['javascript:alert(1)'],
])('%s is not', (path) => {
  expect(safeReturnTo(path, ORIGIN)).toBeUndefined()
})
