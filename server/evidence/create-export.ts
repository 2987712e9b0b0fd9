import { ApiError } from '#lib/errors.ts'
import { CreateExportInput, CreateExportOutput } from '#lib/schemas/evidence.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { exportQueue } from './export-queue.ts'
import { insertExport } from './store.ts'
import { pollTimeoutMs } from './view.ts'

/** Asks for a sealed bundle of everything between two times. A worker makes it; the caller polls. */
export const createExport = mutation({
  permission: 'evidence:export',
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
    },
  }),
  async run({ tx, tenant, principal, input }) {
    if (input.includeRawPayloads) {
      if (!principal.permissions.has('evidence:raw'))
        throw refuse('forbidden', 'Raw payloads need the permission evidence:raw.', undefined, {
          permission: 'evidence:raw',
        })
      throw new ApiError('bad_request', 'Raw payloads are not available yet.')
    }
    const id = newId()
    await insertExport(tx, {
      tenantId: tenant.id,
      id,
      startAt: new Date(input.startDate),
      endAt: new Date(input.endDate),
      includeProofs: input.includeProofs,
      includeRawPayloads: false,
      requestedBy: principal.memberId,
    })
    await runtime().queue.enqueue(tx, exportQueue, { tenantId: tenant.id, id })
    return { exportId: id, status: 'queued' as const, pollTimeoutMs }
  },
})
