import { sql } from 'kysely'
import type { JsonValue } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { records, type StoredRecord } from './store.ts'

export type RecordFilter = {
  actorId?: string | undefined
  action?: string | undefined
  resourceId?: string | undefined
  /** [from, to). A record that waited across midnight has a time before its day, and counts from the beginning of that day on. */
  from?: Date | undefined
  to?: Date | undefined
}

const inItsDay = sql`greatest(created_at, date::timestamp at time zone 'UTC')`
const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

type Page = RecordFilter & { limit: number; before: { date: string; seq: number } | undefined }

/** Returns records, newest first. */
export const listRecords = (tx: Transaction, tenantId: string, page: Page): Promise<StoredRecord[]> =>
  newestFirst(tx, tenantId, page, (query) => query.execute())

/** What a list shows of a record. `content` is its actor, resource, time and reason. */
export type ListedRecord = Pick<StoredRecord, 'auditId' | 'date' | 'seq' | 'type' | 'createdAt'> & {
  content: JsonValue
}

/** The same records without the rest of their content, which has 500 states if it is one of an adoption. */
export const listWhatIsShown = (tx: Transaction, tenantId: string, page: Page): Promise<ListedRecord[]> =>
  newestFirst(tx, tenantId, page, (query) =>
    tx
      // Each operator would decompress a long value again; this one returns the decompressed value.
      .selectFrom(query.select(sql<JsonValue>`record || '{}'::jsonb`.as('whole')).as('found'))
      .select(['auditId', 'date', 'seq', 'type', 'createdAt'])
      .select(
        sql<JsonValue>`jsonb_build_object('actor', whole->'actor', 'resource', whole->'resource', 'at', whole->'at',
          'reason', whole->'reason')`.as('content'),
      )
      .orderBy('date', 'desc')
      .orderBy('seq', 'desc')
      .execute(),
  )

/**
 * Each filter has an index that ends with the order of the list, except for the time within a day. The rest of the cursor's day is a
 * separate query: the planner uses a bound on the pair (date, seq) only for the date, and would scan all records of a long day.
 */
async function newestFirst<Row>(
  tx: Transaction,
  tenantId: string,
  { before, limit, ...filter }: Page,
  read: (query: ReturnType<typeof filtered>) => Promise<Row[]>,
): Promise<Row[]> {
  const older = filtered(tx, tenantId, filter).orderBy('date', 'desc').orderBy('seq', 'desc')
  if (before === undefined) return await read(older.limit(limit))
  const { date, seq } = before
  const sameDay = filtered(tx, tenantId, filter).where('date', '=', date).where('seq', '<', seq).orderBy('seq', 'desc')
  const found = await read(sameDay.limit(limit))
  const missing = limit - found.length
  return missing === 0 ? found : [...found, ...(await read(older.where('date', '<', date).limit(missing)))]
}

function filtered(tx: Transaction, tenantId: string, { actorId, action, resourceId, from, to }: RecordFilter) {
  let query = records(tx, tenantId)
  if (actorId !== undefined) query = query.where('actorId', '=', actorId)
  if (action !== undefined) query = query.where('type', '=', action)
  if (resourceId !== undefined) query = query.where('resourceId', '=', resourceId)
  // The date limits the range of the index, and the time is exact.
  if (from !== undefined) query = query.where('date', '>=', dayOf(from)).where(sql<boolean>`${inItsDay} >= ${from}`)
  // A period that ends at midnight does not include the day that begins then.
  if (to !== undefined) query = query.where('date', '<=', dayOf(new Date(to.getTime() - 1))).where('createdAt', '<', to)
  return query
}

/** When someone first did this to an object, by the log. */
export async function findFirstTime(
  tx: Transaction,
  tenantId: string,
  of: { actorId: string; action: string; resourceId: string },
): Promise<Date | undefined> {
  const [first] = await filtered(tx, tenantId, of).orderBy('date').orderBy('seq').limit(1).execute()
  return first?.createdAt
}
