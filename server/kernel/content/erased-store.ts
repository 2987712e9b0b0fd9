import { sql } from 'kysely'
import type { Erased } from '#lib/schemas/erased.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'
import { newId } from '#server/kernel/ids.ts'

/** The subjects of responses from which content may have been removed. */
export type Resource =
  | 'execution'
  | 'approval'
  | 'policy_decision'
  | 'input_event'
  | 'input_resolution'
  | 'mail'
  | 'file'
  | 'trace'

export type Gone = { resource: Resource; resourceId: string; texts: number }

/** Records removed content, in the transaction that removes it. `erasureId`: null for the tenant's retention. */
export async function insertErased(
  tx: Transaction,
  tenantId: string,
  erasureId: string | null,
  gone: readonly Gone[],
): Promise<void> {
  if (gone.length === 0) return
  const texts = new Map<string, Gone>()
  for (const one of gone) {
    const key = `${one.resource} ${one.resourceId}`
    texts.set(key, { ...one, texts: one.texts + (texts.get(key)?.texts ?? 0) })
  }
  await tx
    .insertInto('erasedContent')
    .values([...texts.values()].map((one) => ({ ...one, tenantId, id: newId(), erasureId })))
    .onConflict((conflict) =>
      conflict
        .columns(['tenantId', 'resource', 'resourceId', 'erasureId'])
        .doUpdateSet({ texts: sql<number>`erased_content.texts + excluded.texts` }),
    )
    .execute()
}

/** Those of these executions and approvals from which content was removed. */
export async function listErasedOf(tx: Transaction, tenantId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await erasedOf(tx, { tenantId, ids })
  return new Set(rows.map(({ resourceId }) => resourceId))
}

const erasedOf = fixedStatement({ tenantId: '', ids: [''] }, (tx, { tenantId, ids }) =>
  tx
    .selectFrom('erasedContent')
    .select('resourceId')
    .distinct()
    .where('tenantId', '=', tenantId)
    .where('resource', 'in', ['execution', 'approval'] satisfies Resource[])
    .where(sql<boolean>`resource_id = any(${ids}::text[])`),
)

/** The earliest entry first. */
export async function findErased(
  tx: Transaction,
  tenantId: string,
  resource: Resource,
  resourceId: string,
): Promise<Erased[]> {
  const rows = await erasures(tx, { tenantId, resource, resourceId })
  return rows.map(({ erasedAt, erasureId, id, displayName, username, kind }) => ({
    at: erasedAt.toISOString(),
    erasureId,
    by:
      id === null
        ? null
        : {
            id,
            displayName: displayName ?? '',
            username: username ?? '',
            kind: kind === 'person' || kind === 'api_key' ? kind : ('service_account' as const),
          },
  }))
}

const erasures = fixedStatement(
  { tenantId: '', resource: '', resourceId: '' },
  (tx, { tenantId, resource, resourceId }) =>
    tx
      .selectFrom('erasedContent as gone')
      .leftJoin('erasures as erasure', (join) =>
        join.onRef('erasure.tenantId', '=', 'gone.tenantId').onRef('erasure.id', '=', 'gone.erasureId'),
      )
      .leftJoin('members as member', (join) =>
        join.onRef('member.tenantId', '=', 'erasure.tenantId').onRef('member.id', '=', 'erasure.requestedBy'),
      )
      .select(['gone.erasedAt', 'gone.erasureId', 'member.id', 'member.displayName', 'member.username', 'member.kind'])
      .where('gone.tenantId', '=', tenantId)
      .where('gone.resource', '=', resource)
      .where('gone.resourceId', '=', resourceId)
      .orderBy('gone.erasedAt'),
)
