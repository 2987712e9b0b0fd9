import { expect, test } from 'vitest'
import { contentTables } from '#server/kernel/content/tables.ts'
import { erasables } from './erasable-store.ts'
import { withExecution, withoutExecution } from './retention-store.ts'

// Content of a new table that is only listed for encryption would remain after an erasure and after its retention.

/** A file's name is deleted with its bytes (server/files). */
const tables = contentTables.map(({ table }) => table).filter((table) => table !== 'files')

test('an erasure looks into every table of content', () => {
  expect(erasables.map(({ table }) => table).sort()).toEqual(tables.sort())
})

test('retention empties every table of content', () => {
  expect([...new Set([...withExecution, ...withoutExecution])].sort()).toEqual(tables.sort())
})
