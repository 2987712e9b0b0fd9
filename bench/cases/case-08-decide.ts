import { randomBytes } from 'node:crypto'
import type { PoolClient } from 'pg'
import { decide } from '#server/approvals/decide.ts'
import { requestApproval } from '#server/approvals/request.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import { registerDecisions } from '#server/jobs.ts'
import { changeToAdopt, recordChanges } from '#server/kernel/bound/bind.ts'
import { readObjects } from '#server/kernel/bound/store.ts'
import { boundType } from '#server/kernel/bound/types.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import { newId } from '#server/kernel/ids.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { presentation } from '#server/testing/approval-request.ts'
import { type Lab, perform } from '../lab.ts'
import { type comparer, latency, type Side } from '../measure.ts'
import { type Figure, figure, number, ratioFigure } from '../report.ts'

const width = 4
const p99LimitMs = 20
const statesPerRecord = 500
const reason = 'Read and found right.'
const shown = { ...presentation, agent: { id: newId(), name: 'a', displayName: 'A', version: '1' } }

/** A pending request of a kind whose decision has no further effect. */
export async function pendingApproval({ tenant, pipeline, runtime }: Lab): Promise<string> {
  const { approvalId } = await runtime.database.inTenant(tenant.id, (tx) =>
    requestApproval(tx, tenant, {
      kind: 'release',
      subjectId: newId(),
      payload: { action: 'ToolCall', arguments: { id: 'A-1001' } },
      presentation: shown,
      agentId: newId(),
      requestedBy: pipeline.principal.memberId,
      agents: [],
      group: 'change-approvers',
      quorum: 1,
      expiresAfterSeconds: 3600,
    }),
  )
  return approvalId
}

/** Pending requests to decide, created in bulk as copies of a real one. Deciding them has no further effect. */
export async function pendingApprovals(lab: Lab): Promise<(count: number) => Promise<string[]>> {
  const { tenant, runtime, owner } = lab
  onDecided('release', async () => undefined)
  const pattern = await pendingApproval(lab)
  const { rows } = await owner.query<{ column_name: string }>(
    `select column_name from information_schema.columns where table_name = 'approvals' and column_name not in ('id', 'presentation')`,
  )
  const columns = rows.map((row) => `"${row.column_name}"`).join(', ')
  return async (count) => {
    const ids = Array.from({ length: count }, newId)
    // Content is encrypted for its row.
    const cipher = await runtime.database.inTenant(tenant.id, (tx) => tenantCipher(tx, tenant.id))
    const presentations = ids.map((id) => cipher.encryptJson(shown, contentContext('approvals', [id], 'presentation')))
    await owner.query(
      `insert into approvals (id, presentation, ${columns}) select made.id, made.presentation, ${columns}
       from (select ${columns} from approvals where id = $2) as pattern,
         unnest($1::uuid[], $3::bytea[]) as made (id, presentation)`,
      [ids, pattern, presentations],
    )
    await bindApprovals(lab, ids)
    return ids
  }
}

/** Binds these rows to the log, which the operations do for their own. */
async function bindApprovals({ tenant, runtime }: Lab, ids: readonly string[]): Promise<void> {
  const bound = boundType('approval')
  for (let at = 0; at < ids.length; at += statesPerRecord)
    await runtime.database.inTenant(tenant.id, async (tx) => {
      const cipher = await tenantCipher(tx, tenant.id)
      const rows = await readObjects(tx, bound, ids.slice(at, at + statesPerRecord))
      const changes = rows.flatMap((row) => changeToAdopt(cipher, bound, row) ?? [])
      await tx.executeQuery(await recordChanges(tx, tenant.id, cipher, changes, 'state.adopted'))
    })
}

export const ourDecide = async (lab: Lab, approvalId: string): Promise<void> => {
  const input = { approvalId, decision: 'approve', decisionAcknowledged: true, reason }
  const { status } = await perform(decide, lab.approver, input)
  if (status !== 'approved') throw new Error(`Not the same work: ${status}`)
}

export async function decision(lab: Lab, compare: ReturnType<typeof comparer>): Promise<Figure[]> {
  const make = await pendingApprovals(lab)
  const side = (name: string, once: (approvalId: string) => Promise<void>): Side => {
    let ids: string[] = []
    return {
      name,
      database: true,
      prepare: async () => {
        ids = await make(4000)
      },
      run: async (deadline) => {
        let done = 0
        const caller = async () => {
          while (performance.now() < deadline) {
            const id = ids.pop()
            if (id === undefined) return
            await once(id)
            done += 1
          }
        }
        await Promise.all(Array.from({ length: width }, caller))
        return done
      },
    }
  }
  try {
    const result = await compare(
      side('by hand', (id) => byHand(lab, id)),
      side('countersign', (id) => ourDecide(lab, id)),
    )
    const ids = await make(200)
    const times = await latency(ids.length, () => ourDecide(lab, ids.pop() ?? ''))
    const job = 'approvals.decide (operation, without HTTP)'
    return [
      ratioFigure(
        {
          case: 8,
          job,
          unit: '/CPU s',
          least: 0.7,
          limit: 'commits on 32 connections 5–8 k/s',
          note: 'peer: same rows, hashes ready',
        },
        result,
      ),
      figure({
        case: 8,
        job: 'approvals.decide, one after the other, p99',
        target: `≤ ${p99LimitMs} ms`,
        ...(times === undefined
          ? { ours: 'SKIP(noisy)' }
          : {
              ours: `${number(times.p99)} ms (p50: ${number(times.p50)} ms)`,
              met: times.p99 <= p99LimitMs ? 'yes' : 'no',
            }),
      }),
    ]
  } finally {
    registerDecisions()
  }
}

/** The same rows in the fewest statements for this purpose alone, bypassing row-level security, with hashes computed in advance. */
async function byHand(lab: Lab, approvalId: string): Promise<void> {
  const client = await lab.owner.connect()
  try {
    await client.query('begin')
    await transact(client, lab, approvalId)
    await client.query('commit')
  } finally {
    client.release()
  }
}

async function transact(client: PoolClient, { tenant, approver }: Lab, approvalId: string): Promise<void> {
  const { memberId } = approver.principal
  const auditId = newId()
  const found = await client.query({
    name: 'lock',
    text: `select revision, group_id from approvals where tenant_id = $1 and id = $2 and status = 'pending'
      and expires_at > clock_timestamp() and not identities @> jsonb_build_array(jsonb_build_object('personId', $3::text))
      and exists (select 1 from approver_group_members link where link.tenant_id = approvals.tenant_id
        and link.group_id = approvals.group_id and link.member_id = $3::uuid) for update`,
    values: [tenant.id, approvalId, memberId],
  })
  if (found.rowCount !== 1) throw new Error('Not the same work.')
  await client.query({
    name: 'vote',
    text: `insert into approval_votes (tenant_id, approval_id, id, member_id, decision, reason, escalation_level, audit_id)
      values ($1, $2, $3, $4, 'approve', $5, 0, $6)`,
    values: [tenant.id, approvalId, newId(), memberId, reason, auditId],
  })
  await client.query({
    name: 'decide',
    text: `update approvals set status = 'approved', audit_id = $3, decided_at = clock_timestamp(), revision = revision + 1
      where tenant_id = $1 and id = $2`,
    values: [tenant.id, approvalId, auditId],
  })
  await client.query({
    name: 'audit',
    text: `with day as (insert into audit_days as day (tenant_id, date, size)
        values ($1, (clock_timestamp() at time zone 'UTC')::date, 1)
        on conflict (tenant_id, date) do update set size = day.size + 1 returning date, size)
      insert into audit_records (tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at)
      select $1, date, size - 1, $2, 'approval.approve', $3, $4, $4, $4, clock_timestamp() from day`,
    values: [tenant.id, auditId, record(auditId, approvalId, memberId), hash],
  })
  await client.query({
    name: 'notify',
    text: `select pg_notify('approval', $1), pg_notify('audit', $1)`,
    values: [tenant.id],
  })
}

const hash = randomBytes(32)
const record = (auditId: string, approvalId: string, memberId: string): string =>
  JSON.stringify({
    auditId,
    at: new Date().toISOString(),
    actor: { type: 'person', id: memberId, name: 'jonas' },
    action: 'approval.approve',
    resource: { type: 'approval', id: approvalId },
    reason,
    details: { status: 'approved', votes: 1, escalationLevel: 0, decisionId: approvalId },
    requestId: auditId,
  })
