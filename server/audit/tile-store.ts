import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { LogName } from './log-name.ts'
import type { Tile, TileAt } from './tiles.ts'

/** Those of the tiles that are there, in one read. */
export async function findTiles(
  tx: Transaction,
  tenantId: string,
  log: LogName,
  wanted: readonly TileAt[],
): Promise<Tile[]> {
  if (wanted.length === 0) return []
  return await tx
    .selectFrom('auditTiles')
    .select(['level', 'tile', 'hashes'])
    .where('tenantId', '=', tenantId)
    .where('log', '=', log)
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('level', 'tile'),
        'in',
        wanted.map(({ level, tile }) => tuple(level, tile)),
      ),
    )
    .execute()
}

/** Writes tiles; one that is there only grows. */
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

/** Leaves of a log that lie in tiles: 0 for a log that has none. */
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

/** What the check of a whole log found wrong; undefined as long as it found nothing. */
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
