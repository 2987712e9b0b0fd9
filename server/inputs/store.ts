import { sql } from 'kysely'
import type { JsonValue } from '#lib/json.ts'
import type { ReceiptStatus, WaitStatus } from '#lib/schemas/inputs.ts'
import { keyedDigest } from '#server/kernel/content/keyed-digest.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { type EventAttributes, encryptAttributes, encryptData, openAttributes, openData } from './event-content.ts'

/**
 * Every change to an execution's waits and events takes this lock until commit. Otherwise an event and its wait that commit
 * concurrently would miss each other.
 */
export async function lockInputs(tx: Transaction, tenantId: string, executionId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`inputs ${tenantId} ${executionId}`}, 0))`.execute(tx)
}

export type NewEvent = {
  tenantId: string
  id: string
  identity: string
  fingerprint: string
  attributes: EventAttributes
  executionId: string
  inputName: string
  data: JsonValue
  submittedBy: string
  ttlSeconds: number
}

/** False, without inserting, when an event of the same identity exists. The statement is sent immediately. */
export async function insertEvent(tx: Transaction, cipher: TenantCipher, row: NewEvent): Promise<boolean> {
  const { ttlSeconds, data, attributes, identity, ...values } = row
  const result = await tx
    .insertInto('inputEvents')
    .values({
      ...values,
      identity: keyedDigest(cipher, 'input_events', 'identity', identity),
      data: encryptData(cipher, row.id, data),
      attributes: encryptAttributes(cipher, row.id, attributes),
      status: 'received',
      expiresAt: sql<Date>`clock_timestamp() + make_interval(secs => ${ttlSeconds})`,
    })
    .onConflict((conflict) => conflict.columns(['tenantId', 'identity']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export async function findEventByIdentity(tx: Transaction, tenantId: string, identity: string) {
  const cipher = await tenantCipher(tx, tenantId)
  const row = await tx
    .selectFrom('inputEvents')
    .select(['id', 'fingerprint', 'status', 'attributes'])
    .where('tenantId', '=', tenantId)
    .where('identity', '=', keyedDigest(cipher, 'input_events', 'identity', identity))
    .executeTakeFirst()
  return row === undefined ? undefined : { ...row, attributes: openAttributes(cipher, row.id, row.attributes) }
}

/** The oldest unmatched and unexpired event for one input. */
export const findUnmatched = (tx: Transaction, tenantId: string, executionId: string, inputName: string) =>
  tx
    .selectFrom('inputEvents')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('executionId', '=', executionId)
    .where('inputName', '=', inputName)
    .where('status', '=', 'received')
    .where('expiresAt', '>', sql<Date>`clock_timestamp()`)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()

/** received → another status; false when the event is no longer received. */
export async function setEvent(
  tx: Transaction,
  tenantId: string,
  id: string,
  status: Exclude<ReceiptStatus, 'received'>,
): Promise<boolean> {
  const result = await tx
    .updateTable('inputEvents')
    .set((e) => ({ status, settledAt: sql<Date>`clock_timestamp()`, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'received')
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Ends the unmatched events of an execution or of one of its inputs. Returns their ids. */
export async function settleUnmatched(
  tx: Transaction,
  tenantId: string,
  where: { executionId: string; inputName?: string },
  status: Exclude<ReceiptStatus, 'received' | 'accepted'>,
): Promise<string[]> {
  const rows = await tx
    .updateTable('inputEvents')
    .set((e) => ({ status, settledAt: sql<Date>`clock_timestamp()`, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('executionId', '=', where.executionId)
    .$if(where.inputName !== undefined, (q) => q.where('inputName', '=', where.inputName ?? ''))
    .where('status', '=', 'received')
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

/** Expires at most `limit` events past their time to live. Returns their ids. */
export async function expireEvents(tx: Transaction, tenantId: string, limit: number): Promise<string[]> {
  const rows = await tx
    .updateTable('inputEvents')
    .set((e) => ({
      status: 'unmatched_expired',
      settledAt: sql<Date>`clock_timestamp()`,
      revision: e('revision', '+', 1),
    }))
    .where('tenantId', '=', tenantId)
    .where('status', '=', 'received')
    .where('id', 'in', (e) =>
      e
        .selectFrom('inputEvents')
        .select('id')
        .where('tenantId', '=', tenantId)
        .where('status', '=', 'received')
        .where('expiresAt', '<=', sql<Date>`clock_timestamp()`)
        .orderBy('expiresAt')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

export async function insertWait(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    executionId: string
    stepId: string
    inputName: string
    onExpiry: string
    ttlSeconds: number
  },
): Promise<{ expiresAt: Date }> {
  const { ttlSeconds, ...values } = row
  return await tx
    .insertInto('inputWaits')
    .values({
      ...values,
      status: 'open',
      expiresAt: sql<Date>`clock_timestamp() + make_interval(secs => ${ttlSeconds})`,
    })
    .returning('expiresAt')
    .executeTakeFirstOrThrow()
}

const waitColumns = [
  'id',
  'executionId',
  'stepId',
  'inputName',
  'onExpiry',
  'status',
  'eventId',
  'revision',
  'openedAt',
  'expiresAt',
  'parkedAt',
  'matchedAt',
  'closedAt',
] as const

/** A parked wait does not expire, because its deadline is paused. */
const over = sql<boolean>`parked_at is null and expires_at <= clock_timestamp()`

export const findWait = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('inputWaits')
    .select(waitColumns)
    .select(over.as('over'))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()

export const findWaitFor = (tx: Transaction, tenantId: string, executionId: string, inputName: string) =>
  tx
    .selectFrom('inputWaits')
    .select(waitColumns)
    .select(over.as('over'))
    .where('tenantId', '=', tenantId)
    .where('executionId', '=', executionId)
    .where('inputName', '=', inputName)
    .executeTakeFirst()

/** The waits of one step, with the data of their matched events. */
export async function findStepWaits(tx: Transaction, tenantId: string, executionId: string, stepId: string) {
  const rows = await tx
    .selectFrom('inputWaits as wait')
    .leftJoin('inputEvents as event', (join) =>
      join.onRef('event.tenantId', '=', 'wait.tenantId').onRef('event.id', '=', 'wait.eventId'),
    )
    .select(['wait.id', 'wait.inputName', 'wait.onExpiry', 'wait.status', 'wait.eventId', 'event.data'])
    .select(['wait.openedAt', 'wait.matchedAt'])
    .where('wait.tenantId', '=', tenantId)
    .where('wait.executionId', '=', executionId)
    .where('wait.stepId', '=', stepId)
    .orderBy('wait.matchedAt')
    .orderBy('wait.id')
    .execute()
  const cipher = await tenantCipher(tx, tenantId)
  return rows.map((row) => ({ ...row, data: row.eventId === null ? null : openData(cipher, row.eventId, row.data) }))
}

export const findOpenWaits = (tx: Transaction, tenantId: string, executionId: string) =>
  tx
    .selectFrom('inputWaits')
    .select(['id', 'inputName'])
    .where('tenantId', '=', tenantId)
    .where('executionId', '=', executionId)
    .where('status', '=', 'open')
    .execute()

/** open → another status. Returns the new revision, or undefined when the wait is no longer open. */
export async function setWait(
  tx: Transaction,
  tenantId: string,
  id: string,
  change: { status: Exclude<WaitStatus, 'open' | 'satisfied'>; eventId?: string; revision?: number },
): Promise<number | undefined> {
  const row = await tx
    .updateTable('inputWaits')
    .set((e) => ({
      status: change.status,
      revision: e('revision', '+', 1),
      ...(change.eventId === undefined
        ? { closedAt: sql<Date>`clock_timestamp()` }
        : { eventId: change.eventId, matchedAt: sql<Date>`clock_timestamp()` }),
    }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'open')
    .$if(change.revision !== undefined, (q) => q.where('revision', '=', change.revision ?? 0))
    .returning('revision')
    .executeTakeFirst()
  return row?.revision
}

export type Filter = { limit: number; cursor?: string | undefined; executionId?: string | undefined }

/** Matched waits of a step → satisfied, and their answers → applied; how many of each. */
export async function setTaken(
  tx: Transaction,
  tenantId: string,
  { executionId, stepId }: { executionId: string; stepId: string },
  waitIds: readonly string[],
): Promise<{ waits: number; resolutions: number }> {
  const { rows } = await sql<{ waits: number; resolutions: number }>`
    with taken as (
      update input_waits set status = 'satisfied', closed_at = clock_timestamp(), revision = revision + 1
      where tenant_id = ${tenantId} and execution_id = ${executionId} and step_id = ${stepId}
        and id = any(${[...waitIds]}::uuid[]) and status = 'matched'
      returning id
    ), applied as (
      update input_resolutions resolution set delivery = 'delivered', delivered_at = clock_timestamp(),
        application = 'applied', applied_at = clock_timestamp(), attempts = resolution.attempts + 1,
        revision = resolution.revision + 1
      from taken
      where resolution.tenant_id = ${tenantId} and resolution.wait_id = taken.id and resolution.channel = 'event'
        and resolution.application = 'not_applied'
      returning resolution.id
    )
    select (select count(*)::int from taken) as waits, (select count(*)::int from applied) as resolutions`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('unreachable: an aggregate has a row')
  return row
}
