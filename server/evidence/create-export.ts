import { notFound } from '#lib/errors.ts'
import { justificationRule } from '#lib/rules/justification.ts'
import { CreateExportInput, CreateExportOutput } from '#lib/schemas/evidence.ts'
import { requirePeriod } from '#server/evidence/archive/require-period.ts'
import { exportQueue } from '#server/evidence/jobs/export-queue.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { actorOfCall, mutation, refuse } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { isThere } from './collect/scope-store.ts'
import { estimateExport } from './estimate/estimate.ts'
import { insertExport } from './store.ts'

/** How long a caller should poll at least; for a large archive twice the estimate. A run that keeps failing is then abandoned. */
const leastTimeoutMs = 300_000

/** Requests a sealed archive of all evidence between two times. A worker creates it; the caller polls. */
export const createExport = mutation({
  permission: 'evidence:export',
  justified: true,
  input: CreateExportInput,
  output: CreateExportOutput,
  audit: (input, made) => ({
    action: 'evidence_export.created',
    resource: { type: 'evidence_export', id: made?.exportId ?? 'none' },
    details: {
      startDate: input.startDate,
      endDate: input.endDate,
      includeProofs: input.includeProofs,
      includeRawPayloads: input.includeRawPayloads,
      scope: input.scope,
      purpose: input.purpose,
    },
  }),
  async run({ tx, tenant, principal, input, requestId }) {
    await requirePeriod(tx, tenant.id, input)
    const id = newId()
    if (input.scope !== undefined && !(await isThere(tx, tenant.id, input.scope))) throw notFound()
    const startAt = new Date(input.startDate)
    const endAt = new Date(input.endDate)
    const { includeRawPayloads, scope = null } = input
    const { seconds } = await estimateExport(tx, tenant.id, { startAt, endAt, scope, includeRawPayloads })
    const pollTimeoutMs = Math.max(leastTimeoutMs, seconds * 2_000)
    if (input.includeRawPayloads)
      await appendAudit(tx, tenant, {
        actor: actorOfCall(principal),
        action: 'evidence_export.raw_payloads_requested',
        resource: { type: 'evidence_export', id },
        reason: reasonForRaw({ tenant, principal }, input.justification),
        requestId,
      })
    await insertExport(tx, {
      tenantId: tenant.id,
      id,
      startAt,
      endAt,
      includeProofs: input.includeProofs,
      includeRawPayloads,
      scope,
      purpose: input.purpose ?? null,
      pollTimeoutMs,
      requestedBy: principal.memberId,
    })
    await runtime().queue.enqueue(tx, exportQueue, { tenantId: tenant.id, id })
    return { exportId: id, status: 'queued' as const, pollTimeoutMs }
  },
})

/** Returns the justification for exporting unmasked values. Throws, with an audit record, when the caller may not. */
function reasonForRaw({ tenant, principal }: Pick<Caller, 'tenant' | 'principal'>, stated: string | undefined): string {
  if (!principal.permissions.has('evidence:raw'))
    throw refuse('forbidden', 'Exporting raw payloads requires the permission evidence:raw.', undefined, {
      permission: 'evidence:raw',
    })
  if (principal.kind === 'api_key') throw refuse('forbidden', 'API keys cannot read masked values.')
  if (settingsOf(tenant).unmaskSecondPerson === 'required')
    throw refuse(
      'forbidden',
      'Sensitive values can’t be exported: this organisation shows them only for one trace at a time, after a second person approves.',
    )
  if (stated === undefined)
    throw refuse('bad_request', `Exporting raw payloads requires a justification. ${justificationRule}`)
  return stated
}
