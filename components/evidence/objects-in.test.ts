import { expect, test } from 'vitest'
import { kindOf } from '#lib/verify/seal.ts'
import { objectsIn } from './objects-in.ts'

test('rows and spans are objects; the log, lists, and what proves or opens something else are not', () => {
  const objects = ['data/approvals.ndjson', 'data/execution-spans.ndjson', 'data/traces/2026-11-28.spans.ndjson']
  const others = [
    'data/audit/2026-11-28.ndjson',
    'data/omissions.ndjson',
    'data/other-records.ndjson',
    'data/raw/2026-11-28.values.ndjson',
    'data/traces.ndjson',
    'data/traces/2026-11-28.batches.ndjson',
    'data/traces/2026-11-28.resources.ndjson',
  ]
  const counted = (paths: string[]) => objectsIn(Object.fromEntries(paths.map((path) => [kindOf(path), 1])))
  expect(counted(objects)).toBe(objects.length)
  expect(counted(others)).toBe(0)
  expect(counted([...objects, ...others])).toBe(objects.length)
})
