import { z } from 'zod'
import { alarmKinds } from '#lib/schemas/alarms.ts'
import { countOpenAlarms } from '#server/audit/alarms/read-alarms.ts'
import { findLogState } from '#server/audit/state-store.ts'
import { type Credential, outcomeCount, outcomes } from '#server/identity/strangers/outcomes.ts'
import { exposition, expositionType } from '#server/kernel/observe/exposition.ts'
import { noInput, query } from '#server/kernel/operation.ts'
import { refusedCredentials } from '#server/kernel/refusals.ts'
import { rest } from '#server/kernel/rest.ts'
import { telemetryCounts } from '#server/telemetry/counters.ts'

import { listQueueDepths } from './store.ts'

const Metric = z.object({
  name: z.string().regex(/^[a-z_][a-z0-9_]*$/),
  type: z.enum(['gauge', 'counter']),
  help: z.string(),
  samples: z.array(z.object({ labels: z.record(z.string(), z.string()), value: z.number() })),
})

const attempts = (tenantId: string, credential: Credential) =>
  outcomes.map((result) => ({ labels: { result }, value: outcomeCount(tenantId, credential, result) }))

/**
 * Metrics for a monitor: the tenant's queues, telemetry, audit log and sign-ins. Counters cover the answering process
 * since its start; everything else is read from the tables, so every process returns the same.
 */
export const read = query({
  permission: 'metrics:read',
  input: noInput,
  output: z.object({ metrics: z.array(Metric) }),
  async run({ tx, tenant }) {
    const queues = await listQueueDepths(tx, tenant.id)
    const log = await findLogState(tx, tenant.id)
    const alarms = await countOpenAlarms(tx, tenant.id)
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
        {
          name: 'countersign_open_alarms',
          type: 'gauge' as const,
          help: 'Alarms that no one has closed, by what disagreed. Alert on any value other than 0.',
          samples: alarmKinds.map((kind) => ({ labels: { kind }, value: alarms.get(kind) ?? 0 })),
        },
        {
          name: 'countersign_sign_in_attempts_total',
          type: 'counter' as const,
          help: 'Passwords sent to the realm: hashed and accepted or refused; not hashed because a share was used up (throttled) or too many were waiting (overloaded).',
          samples: attempts(tenant.id, 'password'),
        },
        {
          name: 'countersign_client_attempts_total',
          type: 'counter' as const,
          help: 'Clients and grants presented to the realm: accepted, refused, or not looked up because a share was used up (throttled) or too many were waiting (overloaded).',
          samples: attempts(tenant.id, 'client'),
        },
        {
          name: 'countersign_refused_credentials_total',
          type: 'counter' as const,
          help: 'API requests without valid credentials. They belong to no tenant: the count is that of the process.',
          samples: [{ labels: {}, value: refusedCredentials() }],
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
  wire: { answer: { 'text/plain': 'text' } },
  respond: ({ metrics }) => new Response(exposition(metrics), { headers: { 'content-type': expositionType } }),
})
