import { sql } from 'kysely'
import { z } from 'zod'
import { type PersonalLanguage, personalLanguages, sourceLanguage } from '#lib/languages.ts'
import type { Delivery, MailKind } from '#lib/schemas/mail.ts'
import { present } from '#server/kernel/content/committed.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'

export async function insertMail(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    kind: MailKind
    subjectId: string
    memberId: string | null
    recipient: string
    language: PersonalLanguage
    subject: string
    body: string
    delivery: 'pending' | 'failed'
    error: string | null
  },
): Promise<void> {
  const { recipient, language, subject, body, ...values } = row
  const message = (await tenantCipher(tx, row.tenantId)).encryptJson(
    { recipient, language, subject, body },
    contextOf(row.id),
  )
  await tx
    .insertInto('mails')
    .values({ ...values, message })
    .execute()
}

const contextOf = (id: string) => contentContext('mails', [id], 'message')

/** Recipient and text; empty once the tenant's retention has removed them. */
async function opened<T extends { id: string; message: Buffer | null }>(tx: Transaction, tenantId: string, row: T) {
  const { message: encrypted, ...rest } = row
  const message = present(encrypted)
  const cipher = await tenantCipher(tx, tenantId)
  const content = message === null ? noMessage : Message.parse(cipher.decryptJson(message, contextOf(row.id)))
  return { ...rest, ...content }
}

const Message = z.object({
  recipient: z.string(),
  // A mail from before there was a choice.
  language: z.enum(personalLanguages).default(sourceLanguage),
  subject: z.string(),
  body: z.string(),
})
const noMessage: z.infer<typeof Message> = { recipient: '', language: sourceLanguage, subject: '', body: '' }

const columns = [
  'id',
  'kind',
  'subjectId',
  'memberId',
  'message',
  'delivery',
  'attempts',
  'error',
  'revision',
  'createdAt',
  'settledAt',
] as const

export async function findMail(tx: Transaction, tenantId: string, id: string) {
  const row = await tx
    .selectFrom('mails')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && (await opened(tx, tenantId, row))
}

/** The member to whom a mail goes; undefined if it does not go to one. */
export async function findMemberOfMail(tx: Transaction, tenantId: string, id: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('mails')
    .select('memberId')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.memberId ?? undefined
}

export async function findMailsAbout(tx: Transaction, tenantId: string, subjectId: string) {
  const rows = await tx
    .selectFrom('mails')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('subjectId', '=', subjectId)
    .orderBy('id')
    .limit(200)
    .execute()
  return await Promise.all(rows.map((row) => opened(tx, tenantId, row)))
}

/** The delivery of the newest mail with a one-time link for each of these members. */
export async function findLinkMails(tx: Transaction, tenantId: string, memberIds: readonly string[]) {
  const rows = memberIds.length === 0 ? [] : await linkMails(tx, { tenantId, memberIds })
  return new Map(rows.map(({ subjectId, ...mail }) => [subjectId, mail]))
}

const linkMails = fixedStatement({ tenantId: '', memberIds: [''] }, (tx, { tenantId, memberIds }) =>
  tx
    .selectFrom('mails')
    .distinctOn('subjectId')
    .select(['subjectId', 'id', 'delivery', 'error'])
    .where('tenantId', '=', tenantId)
    .where('kind', '=', 'sign_in_link')
    .where(sql<boolean>`subject_id = any(${memberIds}::uuid[])`)
    .orderBy('subjectId')
    .orderBy('id', 'desc'),
)

/** pending → in_flight, once. Returns the mail to send, or undefined if it is not pending. */
export async function setInFlight(tx: Transaction, tenantId: string, id: string) {
  const row = await tx
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
  return row && (await opened(tx, tenantId, row))
}

/** in_flight → its outcome, or pending for another attempt, only for the attempt that was made. */
export async function setSettled(
  tx: Transaction,
  tenantId: string,
  id: string,
  attempts: number,
  outcome: { delivery: Exclude<Delivery, 'in_flight'>; error: string | null },
) {
  const row = await tx
    .updateTable('mails')
    .set((e) => ({
      ...outcome,
      settledAt: outcome.delivery === 'pending' ? null : sql<Date>`clock_timestamp()`,
      revision: e('revision', '+', 1),
    }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('delivery', '=', 'in_flight')
    .where('attempts', '=', attempts)
    .returning(columns)
    .executeTakeFirst()
  return row && (await opened(tx, tenantId, row))
}

/** pending → failed, without another attempt. */
export async function setGivenUp(tx: Transaction, tenantId: string, id: string, error: string) {
  const row = await tx
    .updateTable('mails')
    .set((e) => ({
      delivery: 'failed',
      error,
      settledAt: sql<Date>`clock_timestamp()`,
      revision: e('revision', '+', 1),
    }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('delivery', '=', 'pending')
    .returning(columns)
    .executeTakeFirst()
  return row && (await opened(tx, tenantId, row))
}

/** failed or unknown → pending, at this revision. */
export const setPendingAgain = (tx: Transaction, tenantId: string, id: string, revision: number) =>
  tx
    .updateTable('mails')
    .set((e) => ({ delivery: 'pending', error: null, settledAt: null, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('delivery', 'in', ['failed', 'unknown'])
    .returning(['id', 'revision'])
    .executeTakeFirst()
