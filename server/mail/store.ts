import { sql } from 'kysely'
import type { Delivery, MailKind } from '#lib/schemas/mail.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

export async function insertMail(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    kind: MailKind
    subjectId: string
    memberId: string | null
    recipient: string
    subject: string
    body: string
    delivery: 'pending' | 'failed'
    error: string | null
  },
): Promise<void> {
  await tx.insertInto('mails').values(row).execute()
}

const columns = [
  'id',
  'kind',
  'subjectId',
  'memberId',
  'recipient',
  'subject',
  'body',
  'delivery',
  'attempts',
  'error',
  'revision',
  'createdAt',
  'settledAt',
] as const

export const findMail = (tx: Transaction, tenantId: string, id: string) =>
  tx.selectFrom('mails').select(columns).where('tenantId', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const findMailsAbout = (tx: Transaction, tenantId: string, subjectId: string) =>
  tx
    .selectFrom('mails')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('subjectId', '=', subjectId)
    .orderBy('id')
    .limit(200)
    .execute()

/** pending → in_flight, once. Gives the mail as it is sent, or undefined when it is not pending. */
export const setInFlight = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .updateTable('mails')
    .set((e) => ({
      delivery: 'in_flight',
      attempts: e('attempts', '+', 1),
      revision: e('revision', '+', 1),
      error: null,
      settledAt: null,
    }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('delivery', '=', 'pending')
    .returning(columns)
    .executeTakeFirst()

/** in_flight → its end, for the attempt that was made. */
export const setSettled = (
  tx: Transaction,
  tenantId: string,
  id: string,
  attempts: number,
  outcome: { delivery: Extract<Delivery, 'delivered' | 'failed' | 'unknown'>; error: string | null },
) =>
  tx
    .updateTable('mails')
    .set((e) => ({ ...outcome, settledAt: sql<Date>`clock_timestamp()`, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('delivery', '=', 'in_flight')
    .where('attempts', '=', attempts)
    .returning(columns)
    .executeTakeFirst()

/** failed or unknown → pending, at this revision. */
export const setPendingAgain = (tx: Transaction, tenantId: string, id: string, revision: number) =>
  tx
    .updateTable('mails')
    .set((e) => ({ delivery: 'pending', error: null, settledAt: null, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('delivery', 'in', ['failed', 'unknown'])
    .returning(columns)
    .executeTakeFirst()
