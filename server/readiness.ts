import { sql } from 'kysely'
import { runtime } from '#server/kernel/runtime.ts'

/** 200 when the database answers, else 503: then no traffic should come here. */
export async function readiness(): Promise<Response> {
  const headers = { 'cache-control': 'no-store' }
  try {
    await runtime().database.inDirectory((tx) => sql`select 1`.execute(tx))
    return Response.json({ status: 'ready' }, { headers })
  } catch (error) {
    runtime().log.warn({ err: error }, 'not ready')
    return Response.json({ status: 'unavailable' }, { status: 503, headers: { ...headers, 'retry-after': '1' } })
  }
}
