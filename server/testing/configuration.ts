import type { Caller } from '#server/kernel/auth/principal.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { newId, newSpanId, newTraceId } from '#server/kernel/ids.ts'
import type { Runtime } from '#server/kernel/runtime.ts'
import { startSpan, startTrace } from '#server/traces/recording/record.ts'
import { insertActivity } from './activity.ts'
import { connectAsOwner } from './owner.ts'
import type { TestTenant } from './tenant.ts'

/**
 * Inserts what `insertActivity` lacks: an agent with its version and owner, a release, a policy with a published version and a
 * binding, a wait, a use of a file, a standing grant with a use, and a vote. Foreign keys are disabled.
 */
async function insertConfiguration(
  runtime: Runtime,
  tenant: TestTenant,
  memberId: string,
  { executionId, approvalId, fileId }: { executionId: string; approvalId: string; fileId: string },
): Promise<void> {
  const [agentId, versionId, policyId, releaseId, grantId] = [newId(), newId(), newId(), newId(), newId()]
  const decided = { approval_id: approvalId, proposed_by: memberId, decided_at: new Date() }
  const agent = { name: 'sorter', display_name: 'Sorter', status: 'active', created_by: memberId }
  const version = { version: '1.0.0', manifest_yaml: 'x', manifest: {}, manifest_digest: 'sha256:1' }
  const release = { digest: 'sha256:2', content: {}, status: 'active', environment: 'production' }
  const binding = { policy_version: 1, environment: 'production', mode: 'enforce', status: 'active' }
  const rows: [table: string, row: Record<string, unknown>][] = [
    ['agents', { id: agentId, ...agent }],
    ['agent_owners', { agent_id: agentId, member_id: memberId }],
    ['agent_versions', { id: versionId, agent_id: agentId, ...version, created_by: memberId }],
    ['releases', { id: releaseId, agent_id: agentId, agent_version_id: versionId, ...release, ...decided }],
    ['policies', { id: policyId, name: 'refunds', created_by: memberId }],
    [
      'policy_versions',
      {
        policy_id: policyId,
        version: 1,
        source: 'permit (principal, action, resource);',
        digest: 'sha256:3',
        status: 'published',
        created_by: memberId,
        published_at: new Date(),
      },
    ],
    ['policy_bindings', { id: newId(), agent_id: agentId, policy_id: policyId, ...binding, ...decided }],
    [
      'input_waits',
      {
        id: newId(),
        execution_id: executionId,
        step_id: 'ask',
        input_name: 'answer',
        on_expiry: 'fail',
        status: 'open',
        expires_at: new Date(Date.now() + 3_600_000),
      },
    ],
    ['file_uses', { file_id: fileId, execution_id: executionId, role: 'input' }],
    [
      'approval_questions',
      {
        approval_id: approvalId,
        id: newId(),
        asked_by: memberId,
        question: 'Is the claim settled?',
        audit_id: newId(),
      },
    ],
    [
      'approval_revisions',
      { approval_id: approvalId, requested_by: memberId, reason: 'At most what was paid.', audit_id: newId() },
    ],
    [
      'approval_terms',
      {
        approval_id: approvalId,
        stages: JSON.stringify([{ groupId: newId(), group: 'refund-approvers', quorum: 1 }]),
        expires_after_seconds: 3600,
        remind_at: '[50]',
        pause_on_question: false,
      },
    ],
    [
      'standing_grants',
      {
        id: grantId,
        source_id: approvalId,
        approval_id: approvalId,
        agent_id: agentId,
        release_id: releaseId,
        environment: 'production',
        resource: 'payments/issue_refund',
        policies: JSON.stringify([{ policyId, name: 'refunds', version: 1, digest: 'sha256:3' }]),
        group_id: newId(),
        status: 'active',
        proposed_by: memberId,
        max_uses: 10,
        uses: 1,
        currency: 'EUR',
        max_micros: 100_000_000,
        used_micros: 1_000_000,
        until_at: new Date(Date.now() + 3_600_000),
      },
    ],
    [
      'standing_grant_uses',
      {
        grant_id: grantId,
        number: 1,
        decision_id: newId(),
        execution_id: executionId,
        micros: 1_000_000,
        audit_id: newId(),
      },
    ],
    [
      'approval_votes',
      {
        approval_id: approvalId,
        id: newId(),
        member_id: memberId,
        decision: 'approve',
        reason: 'It is due.',
        escalation_level: 0,
        audit_id: newId(),
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
}

/** The span of an execution. */
async function insertSpan({ database }: Runtime, tenant: TestTenant): Promise<void> {
  const [traceId, startedAt] = [newTraceId(), new Date()]
  await database.inTenant(tenant.id, async (tx) => {
    await startTrace(tx, tenant.id, { traceId, name: 'refund', startedAt })
    const span = { traceId, spanId: newSpanId(), name: 'refund', kind: 'agent', startedAt } as const
    await startSpan(tx, tenant.id, { ...span, attributes: [{ key: 'agent', value: 'sorter' }] })
  })
}

/** Inserts a row of each kind that an archive contains, by the caller, and binds them to the log. */
export async function insertBoundRows(runtime: Runtime, tenant: TestTenant, { principal }: Caller): Promise<void> {
  const { memberId } = principal
  const activity = await insertActivity(runtime, tenant, memberId, { amount: 137, mail: 'grace@example.com' })
  await insertConfiguration(runtime, tenant, memberId, activity)
  await insertSpan(runtime, tenant)
  if (!(await adoptTenant(tenant.id))) throw new Error('The rows could not be bound.')
}
