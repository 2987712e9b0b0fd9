import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectOwner } from '#server/kernel/db/migrate.ts'
import { emptyDatabase } from '#server/testing/database.ts'
import { checkDatabase, withOwner } from './database.ts'

let empty: Awaited<ReturnType<typeof emptyDatabase>>
beforeAll(async () => {
  empty = await emptyDatabase()
})
afterAll(() => empty.close())

test('a connection that breaks between two checks is a finding, and not the end of the process', async () => {
  const found = await withOwner(empty.ownerUrl, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const other = await connectOwner(empty.ownerUrl)
    const ended = new Promise((resolve) => client.once('end', resolve))
    await other.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await Promise.all([ended, other.end()])
    return await checkDatabase(client)
  })
  expect(found).toMatchObject([
    { level: 'failed', subject: 'Database', text: expect.stringMatching(/^The checks could not end: .+\.$/) },
  ])
})
