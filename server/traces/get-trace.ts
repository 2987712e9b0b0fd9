import { ApiError, notFound } from '#lib/errors.ts'
import { GetTraceInput, GetTraceOutput } from '#lib/schemas/traces.ts'
import { query } from '#server/kernel/operation.ts'
import { findTrace, listSpans } from './store.ts'
import { maskedValues, spanView, traceView } from './view.ts'

/** A trace with its spans in the order in which they began. Sensitive values are masked for everyone who holds no unmask grant. */
export const getTrace = query({
  permission: 'trace:read',
  input: GetTraceInput,
  output: GetTraceOutput,
  async run({ tx, tenant, principal, input }) {
    if (input.tenantId !== undefined && input.tenantId !== tenant.externalId)
      throw new ApiError('tenant_access_denied', 'Tenant access denied')
    const trace = await findTrace(tx, tenant.id, input.traceId)
    if (trace === undefined) throw notFound()
    const spans = (await listSpans(tx, { tenantId: tenant.id, ...trace })).map(spanView)
    return {
      trace: traceView(trace),
      spans,
      masking: {
        maskedValues: maskedValues(spans),
        revealed: false,
        reason: input.includeSensitiveData ? whyMasked(principal.permissions.has('trace:unmask')) : null,
      },
      lastEventId: String(trace.changeCount),
    }
  },
})

const whyMasked = (mayUnmask: boolean): string =>
  mayUnmask
    ? 'Sensitive values stay masked: no unmask grant of yours covers this trace.'
    : 'Sensitive values stay masked: showing them needs the permission trace:unmask and a justification.'
