import { sql } from 'kysely'
import type { LogName } from '#server/audit/sealing/log-name.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { Tile, TileAt } from './tiles.ts'

/** Reads the existing ones of the tiles in one statement, with an index lookup for each, regardless of the planner's statistics. */
export async function findTiles(
  tx: Transaction,
  tenantId: string,
  log: LogName,
  wanted: readonly TileAt[],
): Promise<Tile[]> {
  if (wanted.length === 0) return []
  const { rows } = await sql<Tile>`
    select found.level, found.tile, found.hashes
    from unnest(${wanted.map(({ level }) => level)}::int[], ${wanted.map(({ tile }) => tile)}::int[]) as wanted (level, tile)
    cross join lateral (
      select level, tile, hashes from audit_tiles
      where tenant_id = ${tenantId} and log = ${log} and level = wanted.level and tile = wanted.tile limit 1
    ) found`.execute(tx)
  return rows
}

/** Writes tiles. An existing tile only grows. */
export async function setTiles(tx: Transaction, tenantId: string, log: LogName, tiles: readonly Tile[]): Promise<void> {
  if (tiles.length === 0) return
  await tx
    .insertInto('auditTiles')
    .values(tiles.map((tile) => ({ tenantId, log, ...tile })))
    .onConflict((conflict) =>
      conflict
        .columns(['tenantId', 'log', 'level', 'tile'])
        .doUpdateSet({ hashes: sql`excluded.hashes` })
        .where(sql<boolean>`octet_length(audit_tiles.hashes) < octet_length(excluded.hashes)`),
    )
    .execute()
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

/** Returns why the last check of a whole log failed; undefined if it passed. */
export const findBreak = async (tx: Transaction, tenantId: string, log: LogName): Promise<string | undefined> =>
  (
    await tx
      .selectFrom('auditTrees')
      .select('brokenReason')
      .where('tenantId', '=', tenantId)
      .where('log', '=', log)
      .where('brokenAt', 'is not', null)
      .executeTakeFirst()
  )?.brokenReason ?? undefined

/** Returns logs that were not completely checked within a day. Logs that were never checked are first. */
export const listLogsToCheck = async (tx: Transaction, tenantId: string): Promise<LogName[]> => {
  const rows = await tx
    .selectFrom('auditTrees')
    .select('log')
    .where('tenantId', '=', tenantId)
    .where(sql<boolean>`(checked_at is null or checked_at < now() - interval '1 day')`)
    .orderBy('checkedAt', (order) => order.asc().nullsFirst())
    .orderBy('log')
    .execute()
  return rows.map((row) => row.log)
}

/** Records that the check of the whole log passed. */
export async function setChecked(tx: Transaction, tenantId: string, log: LogName): Promise<void> {
  await tx
    .updateTable('auditTrees')
    .set({ checkedAt: sql<Date>`now()`, brokenAt: null, brokenReason: null })
    .where('tenantId', '=', tenantId)
    .where('log', '=', log)
    .execute()
}

/** Returns true only for the first process that reports it. */
export async function setBroken(tx: Transaction, tenantId: string, log: LogName, reason: string): Promise<boolean> {
  const broken = { checkedAt: sql<Date>`now()`, brokenAt: sql<Date>`now()`, brokenReason: reason }
  const result = await tx
    .insertInto('auditTrees')
    .values({ tenantId, log, ...broken })
    .onConflict((conflict) =>
      conflict.columns(['tenantId', 'log']).doUpdateSet(broken).where('auditTrees.brokenAt', 'is', null),
    )
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}
