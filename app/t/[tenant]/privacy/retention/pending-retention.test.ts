import { expect, test } from 'vitest'
import { pendingRetention } from './pending-retention.ts'

const retention = { name: 'retentionDays', before: null, after: 90 } as const
const duties = { name: 'separationOfDuties', before: 'required', after: 'off' } as const

test('of a requested change, the retention page shows what concerns retention', () => {
  expect(pendingRetention(null)).toBeUndefined()
  expect(pendingRetention({ approvalId: 'a', changes: [duties] })).toBeUndefined()
  expect(pendingRetention({ approvalId: 'a', changes: [duties, retention] })).toEqual({
    approvalId: 'a',
    changes: [retention],
  })
})
