import pg from 'pg'
import { clockBehind } from '#server/kernel/clock/process-clock.ts'
import type { PooledConnection } from './connection.ts'
import { plannedOnceSettings } from './statements/control.ts'

/** One state of the database for all statements of a transaction: a new one, or that of an open transaction (pg_export_snapshot). */
export type Snapshot = 'new' | { id: string }

export type Opening = { tenantId?: string; snapshot?: Snapshot; plannedOnce?: boolean }

/** How a transaction begins. */
export type Beginning = {
  /** The same for all that begin alike. */
  key: string
  /** Resolves when PostgreSQL has begun it. Sent with the statements that follow in the same turn. */
  on(connection: PooledConnection): Promise<string>
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Throws TypeError for a tenant that is not given by its UUID. */
export function beginningOf(opening: Opening, processId: string | undefined): Beginning {
  const { tenantId, snapshot, plannedOnce = false } = opening
  if (tenantId !== undefined && !uuid.test(tenantId)) throw new TypeError('The tenant must be given by its UUID.')
  if (snapshot === undefined && clockBehind() === 0)
    return {
      key: `${tenantId} ${processId} ${plannedOnce}`,
      on: (connection) => connection.begin({ tenantId, processId, plannedOnce }),
    }
  const text = beginText(opening, processId)
  return { key: text, on: (connection) => connection.beginBy(text) }
}

/** A transaction with a snapshot may wait for as long as its reader needs. */
function beginText({ tenantId, snapshot, plannedOnce }: Opening, processId: string | undefined): string {
  const statements = [snapshot === undefined ? 'begin' : 'begin isolation level repeatable read']
  if (typeof snapshot === 'object') statements.push(`set transaction snapshot ${pg.escapeLiteral(snapshot.id)}`)
  if (snapshot !== undefined) statements.push('set local idle_in_transaction_session_timeout = 0')
  if (tenantId !== undefined) statements.push(`set local app.tenant_id = '${tenantId}'`)
  if (plannedOnce === true)
    statements.push(...plannedOnceSettings.map(([name, value]) => `set local ${name} = '${value}'`))
  // others_listen() reads it.
  if (processId !== undefined) statements.push(`set local app.process_id = '${processId}'`)
  // now() and clock_timestamp() are then those of the schema clock, which read the setting (migration 0103).
  if (clockBehind() > 0)
    statements.push(
      'set local search_path = clock, pg_catalog, public',
      // A demo that is interrupted stays unfinished anyway.
      'set local synchronous_commit = off',
      `set local app.clock_behind = '${clockBehind()} milliseconds'`,
    )
  return statements.join('; ')
}
