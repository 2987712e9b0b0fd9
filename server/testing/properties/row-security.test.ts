import { Client, escapeIdentifier } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runtime } from '#server/kernel/runtime.ts'
import { countCases } from './counts.ts'
import { type Matrix, openMatrix } from './matrix.ts'

// Tests row-level security alone: SQL as the application's role, without a predicate, on every table with a tenant.

let matrix: Matrix
let application: Client
let tables: string[]
beforeAll(async () => {
  matrix = await openMatrix()
  application = new Client({ connectionString: runtime().database.url })
  await application.connect()
  const { rows } = await matrix.server.owner.query<{ name: string }>(
    `select c.table_name as name from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and c.column_name = 'tenant_id' and t.table_type = 'BASE TABLE'
       and c.table_name not in ('api_key_index', 'connection_token_index') order by 1`,
  )
  // The indexes of API keys and connection tokens show a row to any tenant that names its digest: server/kernel/db/tables.test.ts.
  tables = rows.map(({ name }) => name)
}, 300_000)
afterAll(async () => {
  await application.end()
  await matrix.close()
})

type Outcome = { rows: number } | { error: string }

/** Runs one statement, bound to a tenant or to none, and rolls it back. */
async function attempt(tenantId: string | undefined, statement: string, values: unknown[] = []): Promise<Outcome> {
  await application.query('begin')
  try {
    if (tenantId !== undefined) await application.query(`select set_config('app.tenant_id', $1, true)`, [tenantId])
    return { rows: (await application.query(statement, values)).rowCount ?? 0 }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  } finally {
    await application.query('rollback')
  }
}

const rowsOf = async (table: string, tenantId: string): Promise<number> => {
  const count = `select count(*)::int as rows from ${escapeIdentifier(table)} where tenant_id = $1`
  const { rows } = await matrix.server.owner.query<{ rows: number }>(count, [tenantId])
  return rows[0]?.rows ?? 0
}

test('each table shows exactly the rows of the bound tenant', async (context) => {
  const own = matrix.own.tenant.id
  const withRows = new Set<string>()
  for (const table of tables) {
    const all = `select 1 from ${escapeIdentifier(table)}`
    expect([table, await attempt(undefined, all)]).toEqual([table, { rows: 0 }])
    // Read as the owner before and after, because the server adds rows to some tables during the test.
    const before = await rowsOf(table, own)
    const outcome = await attempt(own, all)
    const after = await rowsOf(table, own)
    expect([table, [{ rows: before }, { rows: after }]]).toEqual([table, expect.arrayContaining([outcome])])
    if ((await rowsOf(table, matrix.foreign.tenant.id)) > 0) withRows.add(table)
  }
  // Positive control: most tables contain rows of the other tenant.
  expect(withRows.size).toBeGreaterThan(20)
  countCases(context, tables.length * 2)
})

test('in each table rows of another tenant cannot be changed, deleted or inserted', async (context) => {
  const own = matrix.own.tenant.id
  const foreign = matrix.foreign.tenant.id
  const untouched = (table: string, outcome: Outcome) =>
    expect([table, outcome]).toEqual([
      table,
      'rows' in outcome ? { rows: 0 } : { error: `permission denied for table ${table}` },
    ])
  const refused = /^(new row violates row-level security policy|permission denied for table)/
  for (const table of tables) {
    const name = escapeIdentifier(table)
    untouched(table, await attempt(own, `update ${name} set tenant_id = tenant_id where tenant_id = $1`, [foreign]))
    untouched(table, await attempt(own, `delete from ${name} where tenant_id = $1`, [foreign]))
    untouched(table, await attempt(undefined, `delete from ${name}`))
    for (const bound of [own, undefined]) {
      const made = await attempt(bound, `insert into ${name} (tenant_id) values ($1)`, [foreign])
      expect([table, made]).toEqual([table, { error: expect.stringMatching(refused) }])
    }
    // Positive control: bound to that tenant, row-level security doesn't refuse the statement.
    const twin = await attempt(foreign, `insert into ${name} (tenant_id) values ($1)`, [foreign])
    expect([table, JSON.stringify(twin)]).toEqual([table, expect.not.stringContaining('row-level security')])
    if ((await rowsOf(table, own)) === 0) continue
    const given = await attempt(own, `update ${name} set tenant_id = $1`, [foreign])
    expect([table, given]).toEqual([table, { error: expect.stringMatching(refused) }])
  }
  countCases(context, tables.length * 6)
})
