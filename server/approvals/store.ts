import { type InferResult, sql } from 'kysely'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { erasedText } from '#lib/rules/erased.ts'
import { type ApprovalStatus, Presentation } from '#lib/schemas/approvals.ts'
import { present } from '#server/kernel/content/committed.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'
import { listOf } from '#server/kernel/db/statements/steady-plan.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import type { Identity } from '#server/tenants/identities.ts'
import { contentDigestOf, type Sealing, sealingOf } from './payload-digest.ts'
import { moveToObject } from './repeats/object-store.ts'
import { shapeOf } from './repeats/shape.ts'
import { termsColumn, termsOfRow } from './terms/terms-store.ts'

export const columns = [
  'parkedAt',
  'id',
  'kind',
  'subjectId',
  'status',
  'payloadDigest',
  'presentation',
  'agentId',
  'executionId',
  'stepId',
  'requestedBy',
  'identities',
  'groupId',
  'quorum',
  'escalationLevel',
  'revision',
  'requestedAt',
  'expiresAt',
  'decidedAt',
  'usedAt',
  'auditId',
] as const

export const computedColumns = [
  termsColumn.as('terms'),
  sql<boolean>`parked_at is null and expires_at <= clock_timestamp() and not exists (
    select from approval_terms t
    where t.tenant_id = approvals.tenant_id and t.approval_id = approvals.id and t.paused_at is not null)`.as(
    'expired',
  ),
] as const

export type ApprovalRow = Awaited<ReturnType<typeof selectApproval>>

const storedApprovals = (tx: Transaction) => tx.selectFrom('approvals').select(columns).select(computedColumns)

/** A row before its content is decrypted. */
export type StoredApproval = InferResult<ReturnType<typeof storedApprovals>>[number]

async function selectApproval(tx: Transaction, tenantId: string, id: string) {
  const row = await storedApprovals(tx).where('tenantId', '=', tenantId).where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : typed(await tenantCipher(tx, tenantId), row)
}

export const contextOf = (id: string, column: 'payload' | 'presentation') => contentContext('approvals', [id], column)

export function typed<
  T extends { id: string; status: string; presentation: Buffer | null; identities: unknown; terms: unknown },
>(cipher: TenantCipher, row: T) {
  return {
    ...row,
    status: row.status as ApprovalStatus,
    presentation: presentationOf(cipher, row),
    identities: row.identities as Identity[],
    terms: termsOfRow(row.terms),
  }
}

/** What reviewers are shown, or what is left of it. */
export function presentationOf(cipher: TenantCipher, row: { id: string; presentation: Buffer | null }): Presentation {
  const presentation = present(row.presentation)
  return presentation === null
    ? expiredPresentation
    : titled(madeHere(cipher.decryptJson(presentation, contextOf(row.id, 'presentation'))))
}

/** Only this server can have encrypted it for its row, and no version has written another form: parsing it would check nothing. */
const madeHere = (presentation: JsonValue): Presentation => presentation as Presentation

/** Replaces an erased title, so that lists don't show just "[erased]". */
const titled = (presentation: Presentation): Presentation =>
  presentation.title === erasedText ? { ...presentation, title: 'A request whose title was erased' } : presentation

/** The presentation of a request whose retention period has passed. */
const expiredPresentation: Presentation = {
  title: 'A request whose content is no longer stored',
  effectLabel: 'content no longer stored',
  verb: 'Decide',
  effects: [],
  onReject: '',
  onExpiry: '',
  onEscalate: '',
  reversible: true,
  irreversibleNote: null,
  risk: 'medium',
  action: '',
  resource: '',
  environment: null,
  arguments: [],
  agent: null,
  policy: null,
  executionId: null,
  traceId: null,
  position: null,
  subject: null,
}

export const findApproval = selectApproval

/** Reads the row by a statement of its own: one that waits for the lock would read the terms as they were before it. */
export async function lockApproval(tx: Transaction, tenantId: string, id: string) {
  const [, row] = await Promise.all([lockRow(tx, tenantId, id), selectApproval(tx, tenantId, id)])
  return row
}

export const lockRow = (tx: Transaction, tenantId: string, id: string) =>
  tx.selectFrom('approvals').select('id').where('tenantId', '=', tenantId).where('id', '=', id).forUpdate().execute()

export async function insertApproval(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    kind: string
    subjectId: string
    payload: JsonObject
    payloadDigest: string
    presentation: Presentation
    agentId: string | null
    executionId: string | null
    stepId: string | null
    decisionId: string | null
    requestedBy: string
    identities: Identity[]
    groupId: string
    quorum: number
    expiresAfterSeconds: number
  },
): Promise<{ expiresAt: Date }> {
  const { expiresAfterSeconds, ...values } = row
  const cipher = await tenantCipher(tx, row.tenantId)
  const { earlierDigest, ...shape } = shapeOf(cipher, row.payload)
  if (earlierDigest !== null) await moveToObject(tx, row.tenantId, earlierDigest, shape.objectDigest)
  return await tx
    .insertInto('approvals')
    .values({
      ...values,
      ...shape,
      status: 'pending',
      payload: cipher.encryptJson(row.payload, contextOf(row.id, 'payload')),
      presentation: cipher.encryptJson(row.presentation, contextOf(row.id, 'presentation')),
      identities: json(row.identities),
      expiresAt: sql<Date>`clock_timestamp() + make_interval(secs => ${expiresAfterSeconds})`,
    })
    .returning('expiresAt')
    .executeTakeFirstOrThrow()
}

/** pending → a terminal status, once. False when the request has changed. */
export async function setDecided(
  tx: Transaction,
  tenantId: string,
  id: string,
  revision: number,
  status: Exclude<ApprovalStatus, 'pending'>,
  auditId: string,
): Promise<boolean> {
  const result = await tx
    .updateTable('approvals')
    .set((e) => ({ status, auditId, decidedAt: sql<Date>`clock_timestamp()`, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('revision', '=', revision)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Keeps the request pending after a vote or a move to another group. */
export async function setPending(
  tx: Transaction,
  tenantId: string,
  id: string,
  revision: number,
  change: { groupId: string; escalationLevel: number },
): Promise<boolean> {
  const result = await tx
    .updateTable('approvals')
    .set((e) => ({ ...change, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('revision', '=', revision)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** What the digest of a request is made from in addition to what runs. Undefined if the request does not exist. */
export async function findSealing(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<{ sealing: Sealing; presentation: Presentation } | undefined> {
  const row = await tx
    .selectFrom('approvals')
    .select(['payload', 'presentation'])
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const cipher = await tenantCipher(tx, tenantId)
  const [payload, presentation] = [present(row.payload), present(row.presentation)]
  return {
    sealing: sealingOf(payload === null ? null : cipher.decryptJson(payload, contextOf(id, 'payload'))),
    presentation:
      presentation === null
        ? expiredPresentation
        : Presentation.parse(cipher.decryptJson(presentation, contextOf(id, 'presentation'))),
  }
}

/** What a request binds. Undefined for erased ones. */
export async function findPayload(tx: Transaction, tenantId: string, id: string): Promise<JsonObject | undefined> {
  const row = await tx
    .selectFrom('approvals')
    .select('payload')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
  const stored = present(row?.payload ?? null)
  if (stored === null) return undefined
  const payload = (await tenantCipher(tx, tenantId)).decryptJson(stored, contextOf(id, 'payload'))
  return isJsonObject(payload) ? payload : undefined
}

/** By which a page recomputes the digest that it decides. Null for requests of earlier versions, and for erased ones. */
export async function findContentDigest(tx: Transaction, tenantId: string, id: string): Promise<string | null> {
  const payload = await findPayload(tx, tenantId, id)
  return payload === undefined ? null : contentDigestOf(payload)
}

/** approved and unused → used, for exactly these bytes. False when already used or bound to other bytes. */
export async function setUsed(tx: Transaction, tenantId: string, id: string, payloadDigest: string): Promise<boolean> {
  const result = await tx
    .updateTable('approvals')
    .set({ usedAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'approved')
    .where('usedAt', 'is', null)
    .where('payloadDigest', '=', payloadDigest)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export const findGrant = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('approvals')
    .select(['kind', 'status', 'decisionId'])
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()

export const findGroupNames = (tx: Transaction, tenantId: string, ids: readonly string[]) =>
  groupNames(tx, { tenantId, ids })

const groupNames = fixedStatement({ tenantId: '', ids: [''] }, (tx, { tenantId, ids }) =>
  tx
    .selectFrom('approverGroups')
    .select(['id', 'name', 'displayName'])
    .where('tenantId', '=', tenantId)
    .where(sql<boolean>`id = any(${listOf(ids, 'uuid')})`),
)
