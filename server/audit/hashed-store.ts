import { sql } from 'kysely'
import type { JsonValue } from '#lib/json.ts'
import { cursorLots } from '#server/kernel/db/cursor.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { StoredRecord } from './store.ts'

/** A record as it is read to be hashed again: bytes are in hex, because a Buffer costs three times its text. */
export type HashedRecord = Omit<StoredRecord, 'nonce' | 'digest' | 'leafHash'> & {
  nonce: string
  digest: string
  leafHash: string
}

/** The records of a day, in order, to be hashed again. */
export const hashedRecords = (tx: Transaction, tenantId: string, date: string) =>
  tx
    .selectFrom('auditRecords')
    .select(['auditId', 'date', 'seq', 'type', 'record', 'createdAt'])
    .select([inHex('nonce').as('nonce'), inHex('digest').as('digest'), inHex('leaf_hash').as('leafHash')])
    .$narrowType<{ record: JsonValue }>()
    .where('tenantId', '=', tenantId)
    .where('date', '=', date)
    .orderBy('seq')

const inHex = (column: string) => sql<string>`encode(${sql.ref(column)}, 'hex')`

/** Streams the first `size` records of a day in order, many at a time, to be hashed again. */
export const streamRecordLots = (
  tx: Transaction,
  tenantId: string,
  date: string,
  size: number,
): AsyncGenerator<HashedRecord[]> => cursorLots(tx, hashedRecords(tx, tenantId, date).where('seq', '<', size))
