import { type RawBuilder, sql } from 'kysely'
import type { ExportScope } from '#lib/schemas/evidence.ts'
import type { Resource } from '#server/kernel/content/erased-store.ts'
import { inScope, type ScopedTable } from './scope-store.ts'

// The contents of an archive, except the log and spans: which rows each file contains. Configuration includes everything that
// existed before the end of the period; the other files include what happened or was in progress during the period.
// `period` is [start, end).

export type Period = { start: Date; end: Date; scope?: ExportScope | null }

/** A file of rows of one type that is bound to the log. */
export type RowFile = {
  /** Of the file, below data/ and without .ndjson; also the resource of its omissions. */
  name: string
  type: string
  scoped: ScopedTable
  /** The condition on a row `r` by its own times. */
  within: (period: Period) => RawBuilder<boolean>
  /** Of rows with content that an erasure or the tenant's retention can remove. */
  resource?: Resource
  /** Committed columns that every archive opens. */
  opened?: readonly string[]
  /**
   * A column with a digest of the content `of`, from which could be guessed if that lacks a salt. `since`: the row's time, if
   * the content of rows that are older than salts may have been removed.
   */
  digest?: { column: string; of: string; since?: string }
  /** Of a type that a later version binds: before that, archives have its rows elsewhere. */
  later?: true
  /** Every object of the type that existed is in the file. */
  whole?: boolean
}

const createdBefore = ({ end }: Period) => sql<boolean>`r.created_at < ${end}`
const created = ({ start, end }: Period) => sql<boolean>`r.created_at >= ${start} and r.created_at < ${end}`

/** In the order of the archive. data/report.html needs each approval before its votes and its decision. */
export const rowFiles: readonly RowFile[] = [
  {
    name: 'members',
    type: 'member',
    scoped: 'members',
    within: createdBefore,
    opened: ['username', 'displayName'],
    whole: true,
  },
  { name: 'agents', type: 'agent', scoped: 'agents', within: createdBefore, whole: true },
  {
    name: 'agent-owners',
    type: 'agent_owner',
    scoped: 'agentOwners',
    within: ({ end }) => sql<boolean>`exists (select 1 from agents agent where agent.tenant_id = r.tenant_id
      and agent.id = r.agent_id and agent.created_at < ${end})`,
    whole: true,
  },
  { name: 'agent-versions', type: 'agent_version', scoped: 'agentVersions', within: createdBefore, whole: true },
  { name: 'releases', type: 'release', scoped: 'releases', within: createdBefore, whole: true },
  {
    name: 'policies',
    type: 'policy_version',
    scoped: 'policyVersions',
    // Drafts never decide.
    within: ({ end }) => sql<boolean>`r.status = 'published' and r.published_at < ${end}`,
    whole: true,
  },
  { name: 'policy-names', type: 'policy', scoped: 'policies', within: createdBefore, whole: true },
  { name: 'policy-bindings', type: 'policy_binding', scoped: 'policyBindings', within: createdBefore, whole: true },
  {
    name: 'input-waits',
    type: 'input_wait',
    scoped: 'inputWaits',
    within: ({ start, end }) => sql<boolean>`r.opened_at < ${end} and (r.closed_at is null or r.closed_at >= ${start})`,
  },
  {
    name: 'approvals',
    type: 'approval',
    scoped: 'approvals',
    within: ({ start, end }) =>
      sql<boolean>`r.requested_at < ${end} and (r.decided_at is null or r.decided_at >= ${start})`,
    resource: 'approval',
    digest: { column: 'payloadDigest', of: 'payload' },
  },
  {
    name: 'approval-questions',
    type: 'approval_question',
    scoped: 'approvalQuestions',
    within: ({ start, end }) =>
      sql<boolean>`r.asked_at < ${end} and (r.answered_at is null or r.answered_at >= ${start})`,
    opened: ['question', 'answer'],
  },
  {
    name: 'approval-revisions',
    type: 'approval_revision',
    scoped: 'approvalRevisions',
    within: ({ start, end }) =>
      sql<boolean>`r.requested_at < ${end} and (r.revised_at is null or r.revised_at >= ${start})`,
    opened: ['reason'],
  },
  {
    name: 'approval-terms',
    type: 'approval_terms',
    scoped: 'approvalTerms',
    within: ({ start, end }) => sql<boolean>`exists (
      select from approvals a where a.tenant_id = r.tenant_id and a.id = r.approval_id
        and a.requested_at < ${end} and (a.decided_at is null or a.decided_at >= ${start}))`,
  },
  {
    name: 'approval-votes',
    type: 'approval_vote',
    scoped: 'approvalVotes',
    within: created,
    opened: ['reason'],
  },
  {
    name: 'executions',
    type: 'execution',
    scoped: 'executions',
    within: ({ start, end }) => sql<boolean>`r.created_at < ${end} and (r.ended_at is null or r.ended_at >= ${start})`,
    resource: 'execution',
    opened: ['stopReason'],
  },
  { name: 'execution-events', type: 'execution_event', scoped: 'executionEvents', within: created },
  {
    name: 'execution-steps',
    type: 'execution_step',
    scoped: 'executionSteps',
    // A step that has not been called is without times of its own.
    within: ({ start, end }) => sql<boolean>`(r.started_at is null or r.started_at < ${end})
      and (r.ended_at is null or r.ended_at >= ${start})
      and exists (select from executions x where x.tenant_id = r.tenant_id and x.id = r.execution_id
        and x.created_at < ${end} and (x.ended_at is null or x.ended_at >= ${start}))`,
  },
  {
    name: 'input-events',
    type: 'input_event',
    scoped: 'inputEvents',
    within: ({ start, end }) =>
      sql<boolean>`r.received_at < ${end} and (r.settled_at is null or r.settled_at >= ${start})`,
    resource: 'input_event',
    digest: { column: 'fingerprint', of: 'attributes', since: 'receivedAt' },
  },
  {
    name: 'input-resolutions',
    type: 'input_resolution',
    scoped: 'inputResolutions',
    within: createdBefore,
    resource: 'input_resolution',
    opened: ['deliveryError'],
  },
  { name: 'files', type: 'file', scoped: 'files', within: createdBefore, resource: 'file' },
  {
    name: 'file-uses',
    type: 'file_use',
    scoped: 'fileUses',
    within: ({ end }) => sql<boolean>`exists (select 1 from files file where file.tenant_id = r.tenant_id
      and file.id = r.file_id and file.created_at < ${end})`,
  },
  {
    name: 'standing-grants',
    type: 'standing_grant',
    scoped: 'standingGrants',
    within: ({ start, end }) => sql<boolean>`r.created_at < ${end} and (r.ended_at is null or r.ended_at >= ${start})`,
  },
  {
    name: 'standing-grant-uses',
    type: 'standing_grant_use',
    scoped: 'standingGrantUses',
    within: ({ start, end }) => sql<boolean>`r.used_at >= ${start} and r.used_at < ${end}`,
  },
  {
    name: 'decisions',
    type: 'decision',
    scoped: 'policyDecisions',
    within: created,
    resource: 'policy_decision',
    digest: { column: 'inputDigest', of: 'request' },
  },
  {
    name: 'execution-spans',
    type: 'span',
    scoped: 'spans',
    within: ({ start, end }) =>
      sql<boolean>`r.origin = 'execution' and r.started_at >= ${start} and r.started_at < ${end}`,
    later: true,
  },
]

/** The condition on a row `r` of the file. */
export const isIn = (tenantId: string, file: RowFile, period: Period): RawBuilder<boolean> =>
  sql<boolean>`${file.within(period)} and ${inScope(tenantId, period.scope, file.scoped, 'r')}`

/** Selects why content of a row `r` was removed, or null if none was. */
export const whyGone = ({ resource }: RowFile): RawBuilder<string | null> =>
  resource === undefined
    ? sql<null>`null`
    : sql<
        string | null
      >`(select case when bool_or(gone.erasure_id is not null) then 'erased' else 'retention_expired' end
        from erased_content gone where gone.tenant_id = r.tenant_id and gone.resource = ${sql.lit(resource)}
          and gone.resource_id = r.id::text having count(*) > 0)`

/** What the state of a span `r` lacks, as JSON: which attributes are masked or erased, and the encrypted values. */
export const spanExtra: RawBuilder<string | null> = sql`jsonb_build_object('attributes', r.attributes, 'sealed',
  (select jsonb_agg(encode(part, 'base64')) from unnest(r.sealed) part))::text`
