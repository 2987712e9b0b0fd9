import { expect, test } from 'vitest'
import { waitedForPath } from './waited-for-path.ts'

const erasure = {
  waitsForObjects: [
    { of: 'e1', type: 'execution' as const, id: 'e1' },
    { of: 'd1', type: 'approval' as const, id: 'a1' },
  ],
}

test('an object that an erasure waits for is linked itself where the person can open it, otherwise its records', () => {
  const paths = (can: boolean) => ['e1', 'd1', 'm1'].map((id) => waitedForPath('org', erasure, id, () => can))
  expect(paths(true)).toEqual(['/t/org/executions/e1', '/t/org/approvals/a1', '/t/org/audit?resourceId=m1'])
  expect(paths(false)).toEqual(['e1', 'd1', 'm1'].map((id) => `/t/org/audit?resourceId=${id}`))
})
