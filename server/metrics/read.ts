import { z } from 'zod'
import { findLogState } from '#server/audit/state-store.ts'
import { noInput, query } from '#server/kernel/operation.ts'
import { rest } from '#server/kernel/rest.ts'
import { telemetryCounts } from '#server/telemetry/counters.ts'
import { exposition, Metric } from './exposition.ts'
import { listQueueDepths } from './store.ts'

/**
 * Metrics for a monitor: the tenant's queues, its telemetry and its audit log. Counters cover the answering process
 * since its start; everything else is read from the tables, so every process returns the same.
 */
export const read = query({
  permission: 'metrics:read',
  input: noInput,
  output: z.object({ metrics: z.array(Metric) }),
  async run({ tx, tenant }) {
    const queues = await listQueueDepths(tx, tenant.id)
    const log = await findLogState(tx, tenant.id)
    const telemetry = telemetryCounts(tenant.id)
    return {
      metrics: [
        {
          name: 'countersign_queue_jobs',
          type: 'gauge' as const,
          help: 'Unfinished jobs by queue and state: waiting, running, or retrying after a failure.',
          samples: queues.map(({ queue, state, jobs }) => ({ labels: { queue, state }, value: jobs })),
        },
        {
          name: 'countersign_queue_oldest_due_seconds',
          type: 'gauge' as const,
          help: 'Waiting time of the oldest job that is due.',
          samples: queues
            .filter(({ state }) => state === 'waiting')
            .map(({ queue, oldestDueSeconds }) => ({ labels: { queue }, value: oldestDueSeconds })),
        },
        {
          name: 'countersign_telemetry_spans_total',
          type: 'counter' as const,
          help: 'Spans received: added, already known, or refused in a partial success.',
          samples: (['added', 'repeated', 'rejected'] as const).map((result) => ({
            labels: { result },
            value: telemetry[result],
          })),
        },
        {
          name: 'countersign_telemetry_requests_total',
          type: 'counter' as const,
          help: 'Telemetry requests: committed, refused for overload (429), or failed for another reason.',
          samples: (['committed', 'overloaded', 'refused'] as const).map((result) => ({
            labels: { result },
            value: telemetry[result],
          })),
        },
        {
          name: 'countersign_audit_unsigned_records',
          type: 'gauge' as const,
          help: 'Records of the audit log that are not yet covered by a checkpoint.',
          samples: [{ labels: {}, value: log.unsignedRecords }],
        },
        {
          name: 'countersign_audit_seal_lag_seconds',
          type: 'gauge' as const,
          help: 'Age of the oldest record that is not yet covered by a checkpoint. Usually below 2.',
          samples: [{ labels: {}, value: log.lagSeconds }],
        },
        {
          name: 'countersign_audit_broken_logs',
          type: 'gauge' as const,
          help: 'Days of the audit log (and its seal log) that differ from what was signed. Alert on any value other than 0.',
          samples: [{ labels: {}, value: log.brokenLogs }],
        },
      ],
    }
  },
})

/** `GET /v1/metrics`: Prometheus' text format. */
export const metricsRoute = rest({
  name: 'metrics.read',
  operation: read,
  input: ({ query: fields }) => fields,
  respond: ({ metrics }) =>
    new Response(exposition(metrics), { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } }),
})
