import { type RawBuilder, sql } from 'kysely'
import type { ExportScope } from '#lib/schemas/evidence.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

// What belongs to the archive of one agent, execution or approval. Configuration is limited to what decided about it, and
// people to those whom the rest names. An approval brings its votes, its decision and the row of its execution, and not what
// else happened in that execution.

export type ScopedTable = keyof typeof belongs

/** Whether a row belongs to the scope; `row` is the name of the table in the statement. Everything does without a scope. */
export const inScope = (
  tenantId: string,
  scope: ExportScope | null | undefined,
  table: ScopedTable,
  row: string = table,
): RawBuilder<boolean> => (scope == null ? sql<boolean>`true` : belongs[table](tenantId, scope, row))

type Belongs = (tenantId: string, scope: ExportScope, row: string) => RawBuilder<boolean>

const column = (row: string, name: string) => sql.ref(`${row}.${name}`)
const none = sql`(select null::uuid where false)`

/** Ids of the executions: the agent's, the one, or the one that asked for the approval. */
const executionsOf = (tenantId: string, scope: ExportScope) => {
  if ('executionId' in scope) return sql`(select ${scope.executionId}::uuid)`
  if ('agentId' in scope)
    return sql`(select x.id from executions x where x.tenant_id = ${tenantId} and x.agent_id = ${scope.agentId})`
  return sql`(select x.execution_id from approvals x where x.tenant_id = ${tenantId} and x.id = ${scope.approvalId})`
}

/** The executions with everything that happened in them. */
const wholeExecutionsOf = (tenantId: string, scope: ExportScope) =>
  'approvalId' in scope ? none : executionsOf(tenantId, scope)

const agentsOf = (tenantId: string, scope: ExportScope) => {
  if ('agentId' in scope) return sql`(select ${scope.agentId}::uuid)`
  if ('executionId' in scope)
    return sql`(select x.agent_id from executions x where x.tenant_id = ${tenantId} and x.id = ${scope.executionId})`
  return sql`(select x.agent_id from approvals x where x.tenant_id = ${tenantId} and x.id = ${scope.approvalId})`
}

const releasesOf = (tenantId: string, scope: ExportScope) =>
  'agentId' in scope
    ? sql`(select x.id from releases x where x.tenant_id = ${tenantId} and x.agent_id = ${scope.agentId})`
    : sql`(select x.release_id from executions x
        where x.tenant_id = ${tenantId} and x.id in ${executionsOf(tenantId, scope)}
        union all select x.subject_id from approvals x
        where x.tenant_id = ${tenantId} and x.kind = 'release' and x.id in ${approvalsOf(tenantId, scope)})`

const approvalsOf = (tenantId: string, scope: ExportScope) => {
  if ('approvalId' in scope) return sql`(select ${scope.approvalId}::uuid)`
  const executions = executionsOf(tenantId, scope)
  return 'agentId' in scope
    ? sql`(select x.id from approvals x where x.tenant_id = ${tenantId}
        and (x.agent_id = ${scope.agentId} or x.execution_id in ${executions}))`
    : sql`(select x.id from approvals x where x.tenant_id = ${tenantId} and x.execution_id in ${executions})`
}

const decisionsOf = (tenantId: string, scope: ExportScope) => {
  if ('agentId' in scope)
    return sql`(select x.id from policy_decisions x where x.tenant_id = ${tenantId} and x.agent_id = ${scope.agentId})`
  return 'executionId' in scope
    ? sql`(select x.id from policy_decisions x
        where x.tenant_id = ${tenantId} and x.execution_id = ${scope.executionId})`
    : sql`(select x.decision_id from approvals x where x.tenant_id = ${tenantId} and x.id = ${scope.approvalId})`
}

/** Bindings of the agent, and those that reach agents by their labels. */
const bindingsOf = (tenantId: string, scope: ExportScope) =>
  sql`(select x.id from policy_bindings x where x.tenant_id = ${tenantId}
    and (x.agent_id is null or x.agent_id in ${agentsOf(tenantId, scope)}))`

const waitsOf = (tenantId: string, scope: ExportScope) =>
  sql`(select x.id from input_waits x
    where x.tenant_id = ${tenantId} and x.execution_id in ${wholeExecutionsOf(tenantId, scope)})`

/** Grants of the agent, those by which calls of the execution ran, and those proposed from or decided by the approval. */
const standingGrantsOf = (tenantId: string, scope: ExportScope) => {
  if ('agentId' in scope)
    return sql`(select x.id from standing_grants x where x.tenant_id = ${tenantId} and x.agent_id = ${scope.agentId})`
  return 'executionId' in scope
    ? sql`(select x.grant_id from standing_grant_uses x
        where x.tenant_id = ${tenantId} and x.execution_id = ${scope.executionId})`
    : sql`(select x.id from standing_grants x
        where x.tenant_id = ${tenantId} and ${scope.approvalId} in (x.source_id, x.approval_id))`
}

/** Everyone whom the rows of the scope name. */
const membersOf = (tenantId: string, scope: ExportScope) => sql`(
  select x.created_by from agents x where x.tenant_id = ${tenantId} and x.id in ${agentsOf(tenantId, scope)}
  union select x.member_id from agent_owners x
    where x.tenant_id = ${tenantId} and x.agent_id in ${agentsOf(tenantId, scope)}
  union select x.proposed_by from releases x where x.tenant_id = ${tenantId} and x.id in ${releasesOf(tenantId, scope)}
  union select v.created_by from releases x
    join agent_versions v on v.tenant_id = x.tenant_id and v.id = x.agent_version_id
    where x.tenant_id = ${tenantId} and x.id in ${releasesOf(tenantId, scope)}
  union select x.proposed_by from policy_bindings x
    where x.tenant_id = ${tenantId} and x.id in ${bindingsOf(tenantId, scope)}
  union select v.created_by from policy_versions v join policy_bindings x
    on x.tenant_id = v.tenant_id and x.policy_id = v.policy_id
    where v.tenant_id = ${tenantId} and x.id in ${bindingsOf(tenantId, scope)}
  union select x.started_by from executions x where x.tenant_id = ${tenantId} and x.id in ${executionsOf(tenantId, scope)}
  union select x.requested_by from approvals x where x.tenant_id = ${tenantId} and x.id in ${approvalsOf(tenantId, scope)}
  union select x.asked_by from approval_questions x
    where x.tenant_id = ${tenantId} and x.approval_id in ${approvalsOf(tenantId, scope)}
  union select x.answered_by from approval_questions x
    where x.tenant_id = ${tenantId} and x.approval_id in ${approvalsOf(tenantId, scope)}
  union select x.requested_by from approval_revisions x
    where x.tenant_id = ${tenantId} and x.approval_id in ${approvalsOf(tenantId, scope)}
  union select x.revised_by from approval_revisions x
    where x.tenant_id = ${tenantId} and x.approval_id in ${approvalsOf(tenantId, scope)}
  union select x.member_id from approval_votes x
    where x.tenant_id = ${tenantId} and x.approval_id in ${approvalsOf(tenantId, scope)}
  union select x.on_behalf_of from approval_votes x
    where x.tenant_id = ${tenantId} and x.approval_id in ${approvalsOf(tenantId, scope)}
  union select x.proposed_by from standing_grants x
    where x.tenant_id = ${tenantId} and x.id in ${standingGrantsOf(tenantId, scope)}
  union select x.approved_by from standing_grants x
    where x.tenant_id = ${tenantId} and x.id in ${standingGrantsOf(tenantId, scope)}
  union select x.submitted_by from input_events x
    where x.tenant_id = ${tenantId} and x.execution_id in ${wholeExecutionsOf(tenantId, scope)})`

const belongs = {
  members: (tenantId, scope, row) => sql<boolean>`${column(row, 'id')} in ${membersOf(tenantId, scope)}`,
  agents: (tenantId, scope, row) => sql<boolean>`${column(row, 'id')} in ${agentsOf(tenantId, scope)}`,
  agentOwners: (tenantId, scope, row) => sql<boolean>`${column(row, 'agentId')} in ${agentsOf(tenantId, scope)}`,
  agentVersions: (tenantId, scope, row) =>
    'agentId' in scope
      ? sql<boolean>`${column(row, 'agentId')} = ${scope.agentId}`
      : sql<boolean>`${column(row, 'id')} in (
    select r.agent_version_id from releases r where r.tenant_id = ${tenantId} and r.id in ${releasesOf(tenantId, scope)})`,
  releases: (tenantId, scope, row) => sql<boolean>`${column(row, 'id')} in ${releasesOf(tenantId, scope)}`,
  policyVersions: (tenantId, scope, row) => sql<boolean>`${column(row, 'policyId')} in (
    select b.policy_id from policy_bindings b where b.tenant_id = ${tenantId} and b.id in ${bindingsOf(tenantId, scope)})`,
  policies: (tenantId, scope, row) => sql<boolean>`${column(row, 'id')} in (
    select b.policy_id from policy_bindings b where b.tenant_id = ${tenantId} and b.id in ${bindingsOf(tenantId, scope)})`,
  policyBindings: (tenantId, scope, row) => sql<boolean>`${column(row, 'id')} in ${bindingsOf(tenantId, scope)}`,
  executions: (tenantId, scope, row) => sql<boolean>`${column(row, 'id')} in ${executionsOf(tenantId, scope)}`,
  executionEvents: (tenantId, scope, row) =>
    sql<boolean>`${column(row, 'executionId')} in ${wholeExecutionsOf(tenantId, scope)}`,
  executionSteps: (tenantId, scope, row) =>
    sql<boolean>`${column(row, 'executionId')} in ${wholeExecutionsOf(tenantId, scope)}`,
  inputEvents: (tenantId, scope, row) =>
    sql<boolean>`${column(row, 'executionId')} in ${wholeExecutionsOf(tenantId, scope)}`,
  inputWaits: (tenantId, scope, row) => sql<boolean>`${column(row, 'id')} in ${waitsOf(tenantId, scope)}`,
  inputResolutions: (tenantId, scope, row) => sql<boolean>`${column(row, 'waitId')} in ${waitsOf(tenantId, scope)}`,
  files: (tenantId, scope, row) => sql<boolean>`${column(row, 'id')} in (
    select u.file_id from file_uses u
    where u.tenant_id = ${tenantId} and u.execution_id in ${wholeExecutionsOf(tenantId, scope)})`,
  fileUses: (tenantId, scope, row) =>
    sql<boolean>`${column(row, 'executionId')} in ${wholeExecutionsOf(tenantId, scope)}`,
  approvals: (tenantId, scope, row) => sql<boolean>`${column(row, 'id')} in ${approvalsOf(tenantId, scope)}`,
  approvalQuestions: (tenantId, scope, row) =>
    sql<boolean>`${column(row, 'approvalId')} in ${approvalsOf(tenantId, scope)}`,
  approvalRevisions: (tenantId, scope, row) =>
    sql<boolean>`${column(row, 'approvalId')} in ${approvalsOf(tenantId, scope)}`,
  approvalTerms: (tenantId, scope, row) =>
    sql<boolean>`${column(row, 'approvalId')} in ${approvalsOf(tenantId, scope)}`,
  approvalVotes: (tenantId, scope, row) =>
    sql<boolean>`${column(row, 'approvalId')} in ${approvalsOf(tenantId, scope)}`,
  standingGrants: (tenantId, scope, row) => sql<boolean>`${column(row, 'id')} in ${standingGrantsOf(tenantId, scope)}`,
  standingGrantUses: (tenantId, scope, row) =>
    'executionId' in scope
      ? sql<boolean>`${column(row, 'executionId')} = ${scope.executionId}`
      : sql<boolean>`${column(row, 'grantId')} in ${standingGrantsOf(tenantId, scope)}`,
  policyDecisions: (tenantId, scope, row) => sql<boolean>`${column(row, 'id')} in ${decisionsOf(tenantId, scope)}`,
  spans: (tenantId, scope, row) => sql<boolean>`${column(row, 'traceId')} in (
    select e.trace_id from executions e
    where e.tenant_id = ${tenantId} and e.id in ${wholeExecutionsOf(tenantId, scope)})`,
} satisfies Record<string, Belongs>

/**
 * Returns those of the ids that belong to the scope. `named`: the ids are not those of a record's resource, but its details
 * name them, as each record of an execution names its agent. Then only executions and approvals count.
 */
export async function findInScope(
  tx: Transaction,
  tenantId: string,
  scope: ExportScope,
  ids: readonly string[],
  { named = false } = {},
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const executions = wholeExecutionsOf(tenantId, scope)
  const sets = named
    ? [executions, approvalsOf(tenantId, scope)]
    : [
        agentsOf(tenantId, scope),
        releasesOf(tenantId, scope),
        bindingsOf(tenantId, scope),
        executionsOf(tenantId, scope),
        approvalsOf(tenantId, scope),
        decisionsOf(tenantId, scope),
        waitsOf(tenantId, scope),
        sql`(select r.id from input_events r where r.tenant_id = ${tenantId} and r.execution_id in ${executions})`,
        sql`(select r.id from input_resolutions r
          where r.tenant_id = ${tenantId} and r.wait_id in ${waitsOf(tenantId, scope)})`,
        sql`(select e.trace_id from executions e where e.tenant_id = ${tenantId} and e.id in ${executions})`,
        sql`(select s.audit_id from spans s join executions e
          on e.tenant_id = s.tenant_id and e.trace_id = s.trace_id
          where s.tenant_id = ${tenantId} and e.id in ${executions})`,
      ]
  const found = sets.map((set) => sql`select id from asked where id in (select f::text from ${set} as t(f))`)
  const { rows } = await sql<{ id: string }>`
    with asked as (select distinct id from unnest(${[...ids]}::text[]) as a(id))
    ${sql.join(found, sql` union `)}`.execute(tx)
  return new Set(rows.map((row) => row.id))
}

/** Whether what the scope names exists in the tenant. */
export async function isThere(tx: Transaction, tenantId: string, scope: ExportScope): Promise<boolean> {
  const of = (table: 'agents' | 'executions' | 'approvals', id: string) =>
    tx.selectFrom(table).select('id').where('tenantId', '=', tenantId).where('id', '=', id).executeTakeFirst()
  if ('agentId' in scope) return (await of('agents', scope.agentId)) !== undefined
  if ('executionId' in scope) return (await of('executions', scope.executionId)) !== undefined
  return (await of('approvals', scope.approvalId)) !== undefined
}
