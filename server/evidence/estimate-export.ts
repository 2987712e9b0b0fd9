import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/schemas/common.ts'
import { EstimateExportInput, ExportEstimate, PeriodTime } from '#lib/schemas/evidence.ts'
import { query } from '#server/kernel/operation.ts'
import type { RouteWire } from '#server/kernel/route-wire.ts'
import { coveredNow } from './archive/require-period.ts'
import { isThere } from './collect/scope-store.ts'
import { estimateExport } from './estimate/estimate.ts'

/** What an archive of a period would contain, and roughly its size, before it is requested. */
export const estimate = query({
  permission: 'evidence:export',
  input: EstimateExportInput,
  output: ExportEstimate,
  async run({ tx, tenant, input }) {
    const { startDate, endDate, scope, includeRawPayloads } = input
    if (scope !== undefined && !(await isThere(tx, tenant.id, scope))) throw notFound()
    const period = { startAt: new Date(startDate), endAt: new Date(endDate), scope: scope ?? null, includeRawPayloads }
    const { objects: _objects, ...counts } = await estimateExport(tx, tenant.id, period)
    return { covers: await coveredNow(tx, tenant.id, period), ...counts }
  },
})

export const estimateWire: RouteWire = {
  query: z.strictObject({
    startDate: PeriodTime,
    endDate: PeriodTime,
    agentId: Id.optional(),
    executionId: Id.optional(),
    approvalId: Id.optional(),
    includeRawPayloads: z.boolean().optional(),
  }),
}

/** The input from a query string, which names the scope by one of its three ids. */
export function estimateInput({
  includeRawPayloads,
  agentId,
  executionId,
  approvalId,
  ...period
}: Record<string, string>) {
  const named = Object.entries({ agentId, executionId, approvalId }).filter(([, id]) => id !== undefined)
  return {
    ...period,
    ...(named.length === 0 ? {} : { scope: Object.fromEntries(named) }),
    ...(includeRawPayloads === undefined ? {} : { includeRawPayloads: includeRawPayloads === 'true' }),
  }
}
