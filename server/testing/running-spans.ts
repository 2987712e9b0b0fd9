import { Client } from 'pg'
import type { TestApi } from './api.ts'

/** The spans that still run although their execution has ended, by execution. There must never be one. */
export async function runningSpansOfEnded({ ownerUrl }: Pick<TestApi, 'ownerUrl'>): Promise<unknown[]> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  const { rows } = await client
    .query(
      `select execution.id, execution.status, span.name
       from executions execution
       join spans span on span.tenant_id = execution.tenant_id and span.trace_id = execution.trace_id
       where execution.ended_at is not null and span.ended_at is null and span.origin = 'execution'`,
    )
    .finally(() => client.end())
  return rows
}
