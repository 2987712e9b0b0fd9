import { sql } from 'kysely'
import { isJsonObject, type JsonValue } from '#lib/json.ts'
import type { ExportScope } from '#lib/schemas/evidence.ts'
import type { Resource } from '#server/kernel/content/erased-store.ts'
import { cursorRows } from '#server/kernel/db/cursor.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { maskEntry } from './masked-content.ts'
import { type ContentRow, contentOf, valueIn } from './row-content.ts'
import { inScope } from './scope-store.ts'

// The contents of an archive, except the log: one query for each file, read through a cursor and so from one snapshot.
// `period` is [start, end). Configuration includes everything that existed before its end; the other files include what
// happened or was in progress during the period.

export type Period = { start: Date; end: Date; scope?: ExportScope | null }

/** Reads the members, whose ids occur in all other files. */
export const readMembers = (tx: Transaction, tenantId: string, { end, scope }: Period) =>
  cursorRows(
    tx,
    tx
      .selectFrom('members')
      .select(['id', 'kind', 'username', 'displayName', 'status', 'createdAt'])
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'members'))
      .where('createdAt', '<', end)
      .orderBy('id'),
  )

export const readAgents = (tx: Transaction, tenantId: string, { end, scope }: Period) =>
  cursorRows(
    tx,
    tx
      .selectFrom('agents')
      .select(['id', 'name', 'displayName', 'status', 'revision', 'createdBy', 'createdAt'])
      .select(
        sql<string[]>`array(select owner.member_id::text from agent_owners owner
          where owner.tenant_id = agents.tenant_id and owner.agent_id = agents.id order by 1)`.as('owners'),
      )
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'agents'))
      .where('createdAt', '<', end)
      .orderBy('id'),
  )

export const readAgentVersions = (tx: Transaction, tenantId: string, { end, scope }: Period) =>
  cursorRows(
    tx,
    tx
      .selectFrom('agentVersions')
      .select(['id', 'agentId', 'version', 'manifestYaml', 'manifestDigest', 'createdBy', 'createdAt'])
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'agentVersions'))
      .where('createdAt', '<', end)
      .orderBy('id'),
  )

export const readReleases = (tx: Transaction, tenantId: string, { end, scope }: Period) =>
  cursorRows(
    tx,
    tx
      .selectFrom('releases')
      .select(['id', 'agentId', 'agentVersionId', 'environment', 'digest', 'content', 'status', 'approvalId'])
      .select(['proposedBy', 'revision', 'createdAt', 'decidedAt'])
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'releases'))
      .where('createdAt', '<', end)
      .orderBy('id'),
  )

/** Reads only published versions, because drafts never decide. */
export const readPolicies = (tx: Transaction, tenantId: string, { end, scope }: Period) =>
  cursorRows(
    tx,
    tx
      .selectFrom('policyVersions as version')
      .innerJoin('policies as policy', (join) =>
        join.onRef('policy.tenantId', '=', 'version.tenantId').onRef('policy.id', '=', 'version.policyId'),
      )
      .select(['version.policyId', 'policy.name', 'policy.description', 'version.version', 'version.source'])
      .select(['version.digest', 'version.createdBy', 'version.createdAt', 'version.publishedAt'])
      .where('version.tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'policyVersions', 'version'))
      .where('version.status', '=', 'published')
      .where('version.publishedAt', '<', end)
      .orderBy('version.policyId')
      .orderBy('version.version'),
  )

export const readPolicyBindings = (tx: Transaction, tenantId: string, { end, scope }: Period) =>
  cursorRows(
    tx,
    tx
      .selectFrom('policyBindings')
      .select(['id', 'agentId', 'environment', 'policyId', 'policyVersion', 'mode', 'status', 'approvalId'])
      .select(['proposedBy', 'revision', 'createdAt', 'decidedAt'])
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'policyBindings'))
      .where('createdAt', '<', end)
      .orderBy('id'),
  )

/** Selects why content of a row was removed, or null if none was. */
export const contentGone = (resource: Resource, table: string) =>
  sql<'erased' | 'retention_expired' | null>`(select case when bool_or(gone.erasure_id is not null) then 'erased'
      else 'retention_expired' end
    from erased_content gone where gone.tenant_id = ${sql.ref(`${table}.tenant_id`)} and gone.resource = ${resource}
      and gone.resource_id = ${sql.ref(`${table}.id`)}::text having count(*) > 0)`.as('contentGone')

export async function* readExecutions(
  tx: Transaction,
  tenantId: string,
  { start, end, scope }: Period,
): AsyncGenerator<ContentRow> {
  const rows = cursorRows(
    tx,
    tx
      .selectFrom('executions')
      .select(['id', 'agentId', 'releaseId', 'environment', 'status', 'traceId', 'eventCount', 'revision'])
      .select(['input', 'output', 'startedBy', 'createdAt', 'startedAt', 'endedAt', 'deadlineAt'])
      .select('error')
      .select(contentGone('execution', 'executions'))
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'executions'))
      .where('createdAt', '<', end)
      .where(({ eb, or }) => or([eb('endedAt', 'is', null), eb('endedAt', '>=', start)]))
      .orderBy('id'),
  )
  const cipher = await tenantCipher(tx, tenantId)
  for await (const { input, output, error, ...row } of rows) {
    const content = contentOf(cipher, 'executions', [row.id], { input, output, error })
    const failure = valueIn(content, 'error')
    const errorCode = isJsonObject(failure) && typeof failure.code === 'string' ? failure.code : null
    yield { id: row.id, row: { ...row, errorCode }, content }
  }
}

/** Reads the journal. `data` was masked by the manifest when it was written. */
export async function* readExecutionEvents(
  tx: Transaction,
  tenantId: string,
  { start, end, scope }: Period,
): AsyncGenerator<ContentRow & { shown?: Record<string, JsonValue> }> {
  const rows = cursorRows(
    tx,
    tx
      .selectFrom('executionEvents')
      .select(['executionId', 'seq', 'type', 'stepId', 'data', 'createdAt'])
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'executionEvents'))
      .where('createdAt', '>=', start)
      .where('createdAt', '<', end)
      .orderBy('executionId')
      .orderBy('seq'),
  )
  const cipher = await tenantCipher(tx, tenantId)
  for await (const { data, ...row } of rows) {
    const { executionId, seq, type, stepId } = row
    const content = contentOf(cipher, 'execution_events', [executionId, type, stepId], { data })
    const value = valueIn(content, 'data')
    const shown = value === undefined ? {} : { shown: { data: maskEntry(value) } }
    yield { id: `${executionId}/${seq}`, row, content, ...shown }
  }
}

/** The digest of a payload is salted, except that of a request older than salts, which could be guessed from. */
export async function* readApprovals(
  tx: Transaction,
  tenantId: string,
  { start, end, scope }: Period,
  masked: boolean,
): AsyncGenerator<ContentRow> {
  const rows = cursorRows(
    tx,
    tx
      .selectFrom('approvals')
      .select(['id', 'kind', 'subjectId', 'status', 'payloadDigest', 'agentId', 'executionId', 'stepId', 'decisionId'])
      .select(['requestedBy', 'identities', 'groupId', 'quorum', 'escalationLevel', 'revision', 'requestedAt'])
      .select(['expiresAt', 'decidedAt', 'usedAt', 'auditId', contentGone('approval', 'approvals')])
      .select(['payload', 'presentation'])
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'approvals'))
      .where('requestedAt', '<', end)
      .where(({ eb, or }) => or([eb('decidedAt', 'is', null), eb('decidedAt', '>=', start)]))
      .orderBy('id'),
  )
  const cipher = await tenantCipher(tx, tenantId)
  for await (const { payload, presentation, payloadDigest, ...row } of rows) {
    const content = contentOf(cipher, 'approvals', [row.id], { payload, presentation })
    const digest = masked && lacksSalt(valueIn(content, 'payload')) ? null : payloadDigest
    yield { id: row.id, row: { ...row, payloadDigest: digest }, content }
  }
}

const lacksSalt = (value: JsonValue | undefined): boolean =>
  value !== undefined && (!isJsonObject(value) || typeof value.salt !== 'string')

export const readApprovalVotes = (tx: Transaction, tenantId: string, { start, end, scope }: Period) =>
  cursorRows(
    tx,
    tx
      .selectFrom('approvalVotes')
      .select(['approvalId', 'id', 'memberId', 'onBehalfOf', 'decision', 'reason', 'escalationLevel', 'auditId'])
      .select(['confirmation', 'createdAt'])
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'approvalVotes'))
      .where('createdAt', '>=', start)
      .where('createdAt', '<', end)
      .orderBy('approvalId')
      .orderBy('id'),
  )

/** Reads decisions. `inputDigest` is the salted digest of the request, as that of an approval is of its payload. */
export async function* readDecisions(
  tx: Transaction,
  tenantId: string,
  { start, end, scope }: Period,
  masked: boolean,
): AsyncGenerator<ContentRow> {
  const rows = cursorRows(
    tx,
    tx
      .selectFrom('policyDecisions')
      .select(['id', 'agentId', 'releaseId', 'executionId', 'stepId', 'environment', 'action', 'resource', 'effect'])
      .select(['obligations', 'reasons', 'policies', 'inputDigest', 'request', 'createdAt'])
      .select(contentGone('policy_decision', 'policyDecisions'))
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'policyDecisions'))
      .where('createdAt', '>=', start)
      .where('createdAt', '<', end)
      .orderBy('id'),
  )
  const cipher = await tenantCipher(tx, tenantId)
  for await (const { request, inputDigest, ...row } of rows) {
    const content = contentOf(cipher, 'policy_decisions', [row.id], { request })
    const digest = masked && lacksSalt(valueIn(content, 'request')) ? null : inputDigest
    yield { id: row.id, row: { ...row, inputDigest: digest }, content }
  }
}
