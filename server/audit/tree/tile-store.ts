import { sql } from 'kysely'
import type { LogName } from '#server/audit/sealing/log-name.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { listOf } from '#server/kernel/db/statements/steady-plan.ts'
import type { Tile, TileAt } from './tiles.ts'

/**
 * Reads the existing ones of the tiles in one statement, with an index lookup for each, regardless of the planner's
 * statistics.
 */
export async function findTiles(
  tx: Transaction,
  tenantId: string,
  log: LogName,
  wanted: readonly TileAt[],
): Promise<Tile[]> {
  if (wanted.length === 0) return []
  const [levels, tiles] = [wanted.map(({ level }) => level), wanted.map(({ tile }) => tile)]
  const { rows } = await sql<Tile>`
    select found.level, found.tile, found.hashes
    from unnest(${listOf(levels, 'integer')}, ${listOf(tiles, 'integer')}) as wanted (level, tile)
    cross join lateral (
      select level, tile, hashes from audit_tiles
      where tenant_id = ${tenantId} and log = ${log} and level = wanted.level and tile = wanted.tile limit 1
    ) found`.execute(tx)
  return rows
}

/** Writes tiles. An existing tile only grows. Returns false if one contains other hashes. */
export async function setTiles(
  tx: Transaction,
  tenantId: string,
  log: LogName,
  tiles: readonly Tile[],
): Promise<boolean> {
  if (tiles.length === 0) return true
  const { rows } = await sql<{ grown: boolean }>`
    select grow_tiles(${tenantId}, ${log}, ${tiles.map(({ level }) => level)}, ${tiles.map(({ tile }) => tile)},
      ${tiles.map(({ hashes }) => hashes)}) as grown`.execute(tx)
  return rows[0]?.grown === true
}

/** Returns the number of a log's leaves that are stored in tiles. */
export const findTreeSize = async (tx: Transaction, tenantId: string, log: LogName): Promise<number> =>
  (
    await tx
      .selectFrom('auditTrees')
      .select('size')
      .where('tenantId', '=', tenantId)
      .where('log', '=', log)
      .executeTakeFirst()
  )?.size ?? 0

/** A tree only grows. */
export async function setTreeSize(tx: Transaction, tenantId: string, log: LogName, size: number): Promise<void> {
  await tx
    .insertInto('auditTrees')
    .values({ tenantId, log, size })
    .onConflict((conflict) =>
      conflict.columns(['tenantId', 'log']).doUpdateSet({ size }).where('auditTrees.size', '<', size),
    )
    .execute()
}

const stateColumns = ['log', 'checkedAt', 'brokenAt', 'brokenReason', 'mac'] as const

/** What the recurring check of a log found. `checkedAt` is Infinity for PostgreSQL's 'infinity'. */
export type CheckState = {
  log: LogName
  checkedAt: Date | number | null
  brokenAt: Date | number | null
  brokenReason: string | null
  mac: Buffer | null
}

export const listCheckStates = (tx: Transaction, tenantId: string): Promise<CheckState[]> =>
  tx.selectFrom('auditTrees').select(stateColumns).where('tenantId', '=', tenantId).orderBy('log').execute()

export const findCheckState = (tx: Transaction, tenantId: string, log: LogName): Promise<CheckState | undefined> =>
  tx
    .selectFrom('auditTrees')
    .select(stateColumns)
    .where('tenantId', '=', tenantId)
    .where('log', '=', log)
    .executeTakeFirst()

/** Records the outcome of a check of the whole log. */
export async function setCheckState(tx: Transaction, tenantId: string, { log, ...state }: CheckState): Promise<void> {
  const values = { ...state, checkedAt: dateOf(state.checkedAt), brokenAt: dateOf(state.brokenAt) }
  await tx
    .insertInto('auditTrees')
    .values({ tenantId, log, ...values })
    .onConflict((conflict) => conflict.columns(['tenantId', 'log']).doUpdateSet(values))
    .execute()
}

const dateOf = (time: Date | number | null): Date | null => (time === null ? null : new Date(time))
