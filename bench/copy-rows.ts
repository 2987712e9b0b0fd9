import type { Lab } from './lab.ts'

/**
 * Inserts `count` copies of the lab's newest row of a table, with ids of their own. `where` narrows which row that is; `change` replaces
 * columns, and `fresh` names more columns that get ids of their own.
 */
export async function copyRows(
  { owner, tenant }: Lab,
  table: 'executions' | 'policy_decisions',
  count: number,
  {
    where = 'true',
    change = {},
    fresh = [],
  }: { where?: string; change?: Record<string, unknown>; fresh?: string[] } = {},
): Promise<void> {
  const ids = ['id', ...fresh].map((column) => `'${column}', gen_random_uuid()`).join(', ')
  const client = await owner.connect()
  try {
    await client.query('begin')
    // What they refer to exists, and each would be bound to the log: checking that a million times takes longer than everything else.
    await client.query('set local session_replication_role = replica')
    await client.query(
      `insert into ${table}
       select (jsonb_populate_record(null::${table}, to_jsonb(newest) || $2::jsonb || jsonb_build_object(${ids}))).*
       from (select * from ${table} where tenant_id = $3 and ${where} order by id desc limit 1) newest,
         generate_series(1, $1::integer)`,
      [count, JSON.stringify(change), tenant.id],
    )
    await client.query('commit')
  } finally {
    client.release()
  }
  await owner.query(`vacuum analyze ${table}`)
}
