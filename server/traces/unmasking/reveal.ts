import { ApiError } from '#lib/errors.ts'
import { isJustification, justificationRule } from '#lib/rules/justification.ts'
import { maskValue } from '#lib/rules/mask.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { actorOfCall } from '#server/kernel/operation.ts'
import { settingsOf } from '#server/tenants/view.ts'
import type { StoredAttribute } from '#server/traces/attributes.ts'
import type { Disclosure } from '#server/traces/encryption/encrypt-span.ts'
import { findGrant, insertReveal, listReveals } from './unmask-store.ts'

/** The authority to see masked values of a trace: a grant, or the justification in the request. */
export type Authority = {
  grantId: string | null
  /** Keys of attributes; null for all. */
  fields: readonly string[] | null
  purpose: string
  justification: string
}

/** Returns the fields of `traceId` that the caller may see, or a sentence that states why none. Throws only IntegrityFailed. */
export async function authorityOver(
  tx: Transaction,
  { tenant, principal, justification }: Caller,
  traceId: string,
): Promise<Authority | string> {
  if (!principal.permissions.has('trace:unmask'))
    return 'Sensitive values stay masked: showing them requires the permission trace:unmask and a justification.'
  const grant = await findGrant(tx, tenant.id, traceId, principal.memberId)
  if (grant !== undefined) {
    await requireBound(tx, tenant.id, 'unmask_grant', [grant.id])
    return { grantId: grant.id, fields: grant.fields, purpose: grant.purpose, justification: grant.justification }
  }
  if (justification === undefined)
    return 'Sensitive values stay masked: you don’t have an unmask grant for this trace, and the request does not include a justification.'
  if (!isJustification(justification)) return `Sensitive values stay masked. ${justificationRule}`
  if (settingsOf(tenant).unmaskSecondPerson === 'required')
    return 'Sensitive values stay masked: a second person must approve showing them. Request it with traces.unmask.'
  return { grantId: null, fields: null, purpose: 'Stated with the request', justification: justification.trim() }
}

/** Unmasks the values that the authority covers. Returns the attributes, and the number of unmasked values. */
export function revealed(
  attributes: readonly StoredAttribute[],
  disclosures: ReadonlyMap<string, Disclosure>,
  fields: Authority['fields'],
): { attributes: StoredAttribute[]; count: number } {
  let count = 0
  const shown = attributes.map((attribute): StoredAttribute => {
    const { key, sd } = attribute
    const disclosure = sd === undefined || fields?.includes(key) === false ? undefined : disclosures.get(sd)
    if (disclosure === undefined) return attribute
    count += 1
    // What was sent may look like the marker of a masked value.
    return { key, value: maskValue(disclosure[1], []) }
  })
  return { attributes: shown, count }
}

/** Records, in the reading transaction, that values were shown: an audit record, and an entry in the list of viewers. */
export async function noteReveal(
  tx: Transaction,
  { tenant, principal, requestId }: Caller,
  seen: { traceId: string; spanId: string | null; values: number; authority: Authority },
): Promise<void> {
  const { traceId, spanId, values, authority } = seen
  if (principal.kind === 'api_key') throw new ApiError('forbidden', 'API keys cannot read masked values.')
  const auditId = newId()
  await insertReveal(tx, {
    tenantId: tenant.id,
    auditId,
    traceId,
    spanId,
    memberId: principal.memberId,
    grantId: authority.grantId,
    purpose: authority.purpose,
    justification: authority.justification,
  })
  await appendAudit(tx, tenant, {
    auditId,
    actor: actorOfCall(principal),
    action: 'trace.revealed',
    resource: { type: 'trace', id: traceId },
    reason: authority.justification,
    details: {
      purpose: authority.purpose,
      values,
      ...(spanId === null ? {} : { spanId }),
      ...(authority.grantId === null ? {} : { grantId: authority.grantId }),
      ...(authority.fields === null ? {} : { fields: [...authority.fields] }),
    },
    requestId,
  })
}

/** Returns who has seen values of the trace, newest first: values of one span, and of the complete trace. */
export async function seenBy(tx: Transaction, tenantId: string, traceId: string, spanId?: string) {
  const rows = await listReveals(tx, tenantId, traceId, spanId)
  return rows.map(({ memberId, displayName, username, kind, revealedAt, ...row }) => ({
    by: {
      id: memberId,
      displayName,
      username,
      kind: kind === 'person' ? ('person' as const) : ('service_account' as const),
    },
    at: revealedAt.toISOString(),
    purpose: row.purpose,
    justification: row.justification,
    spanId: row.spanId,
    auditId: row.auditId,
  }))
}
