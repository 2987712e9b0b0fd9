import type { JsonObject } from '#lib/json.ts'
import { payloadDigestOf } from '#server/approvals/payload-digest.ts'
import { newSalt } from '#server/kernel/content/salt.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import { newId } from '#server/kernel/ids.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import type { Runtime } from '#server/kernel/runtime.ts'
import { connectAsOwner } from './owner.ts'
import type { TestTenant } from './tenant.ts'

/**
 * Inserts a completed execution with a journal entry, a step, a decision, an approval, an event, its resolution and a file, with
 * `value` in every column of content. Foreign keys are disabled, because agents and releases are not needed.
 */
export async function insertActivity(
  runtime: Runtime,
  tenant: TestTenant,
  memberId: string,
  value: JsonObject,
): Promise<{ executionId: string; approvalId: string; decisionId: string; eventId: string; fileId: string }> {
  const cipher = await runtime.database.inTenant(tenant.id, (tx) => tenantCipher(tx, tenant.id))
  const ids = {
    executionId: newId(),
    approvalId: newId(),
    decisionId: newId(),
    eventId: newId(),
    fileId: newId(),
  }
  const [agentId, waitId, resolutionId] = [newId(), newId(), newId()]
  const sealed = (table: string, place: (string | null)[], column: string, content: unknown = value) =>
    cipher.encryptJson(content as JsonObject, contentContext(table, place, column))
  const salted = { ...value, salt: newSalt() }
  const attributes = {
    idempotencyKey: 'a-key',
    source: '/orders',
    id: JSON.stringify(value),
    type: 'order.paid',
    subject: null,
    salt: newSalt(),
  }
  const entry = { release: 'sha256:1', input: value }
  const rows: [table: string, row: Record<string, unknown>][] = [
    [
      'executions',
      {
        id: ids.executionId,
        agent_id: agentId,
        release_id: agentId,
        environment: 'production',
        input: sealed('executions', [ids.executionId], 'input'),
        output: sealed('executions', [ids.executionId], 'output'),
        error: sealed('executions', [ids.executionId], 'error', { code: 'x', message: JSON.stringify(value) }),
        status: 'succeeded',
        trace_id: 't',
        started_by: memberId,
        ended_at: new Date(),
      },
    ],
    [
      'execution_events',
      {
        execution_id: ids.executionId,
        seq: 1,
        type: 'execution.running',
        data: sealed('execution_events', [ids.executionId, 'execution.running', null], 'data', entry),
      },
    ],
    [
      'execution_steps',
      {
        execution_id: ids.executionId,
        step_id: 'pay',
        status: 'succeeded',
        arguments: sealed('execution_steps', [ids.executionId, 'pay'], 'arguments'),
        output: sealed('execution_steps', [ids.executionId, 'pay'], 'output'),
        decision_id: ids.decisionId,
        approval_id: ids.approvalId,
        attempts: 1,
        started_at: new Date(),
        ended_at: new Date(),
      },
    ],
    [
      'policy_decisions',
      {
        id: ids.decisionId,
        agent_id: agentId,
        environment: 'production',
        action: 'ToolCall',
        resource: 'x',
        effect: 'allow',
        obligations: '[]',
        reasons: '[]',
        policies: '[]',
        request: sealed('policy_decisions', [ids.decisionId], 'request', salted),
        input_digest: payloadDigestOf(salted),
      },
    ],
    [
      'approvals',
      {
        id: ids.approvalId,
        kind: 'tool_call',
        subject_id: agentId,
        status: 'approved',
        payload: sealed('approvals', [ids.approvalId], 'payload', salted),
        payload_digest: payloadDigestOf(salted),
        presentation: sealed('approvals', [ids.approvalId], 'presentation'),
        agent_id: agentId,
        requested_by: memberId,
        identities: '[]',
        group_id: agentId,
        quorum: 1,
        expires_at: new Date(),
      },
    ],
    [
      'input_events',
      {
        id: ids.eventId,
        identity: 'x',
        fingerprint: payloadDigestOf(salted),
        execution_id: ids.executionId,
        input_name: 'answer',
        data: sealed('input_events', [ids.eventId], 'data'),
        attributes: sealed('input_events', [ids.eventId], 'attributes', attributes),
        status: 'received',
        submitted_by: memberId,
        expires_at: new Date(Date.now() + 3_600_000),
      },
    ],
    [
      'input_resolutions',
      {
        id: resolutionId,
        wait_id: waitId,
        event_id: ids.eventId,
        channel: 'event',
        delivery: 'pending',
        application: 'not_applied',
        recipient: sealed('input_resolutions', [resolutionId], 'recipient', JSON.stringify(value)),
      },
    ],
    [
      'files',
      {
        id: ids.fileId,
        sha256: '0'.repeat(64),
        bytes: 3,
        name: sealed('files', [ids.fileId], 'name', `${JSON.stringify(value)}.txt`),
        media_type: 'text/plain',
        created_by: memberId,
      },
    ],
  ]
  const owner = await connectAsOwner(runtime)
  try {
    await owner.query('set session_replication_role = replica')
    for (const [table, row] of rows) {
      const columns = ['tenant_id', ...Object.keys(row)]
      await owner.query(
        `insert into ${table} (${columns.join(', ')}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
        [tenant.id, ...Object.values(row)],
      )
    }
  } finally {
    await owner.end()
  }
  return ids
}
