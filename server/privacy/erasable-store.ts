import { type RawBuilder, sql } from 'kysely'
import type { Resource } from '#server/kernel/content/erased-store.ts'

/** How to erase content of a table (kernel/content/tables.ts). `c` is a row of it. */
export type Erasable = {
  table: string
  /** The owner of the row: an execution, or the row itself. Content of an owner is erased together. */
  owner: RawBuilder<string>
  /** Whether the owner is still in progress or open. Its content is not erased until it ends. */
  live: RawBuilder<boolean>
  /** Whether a legal hold covers it. */
  held: RawBuilder<boolean>
  /** The resource whose responses show the erasure; undefined if none shows the row. */
  shownBy?: { resource: Resource; id: RawBuilder<string> }
  /** Members of its JSON with texts of the product. */
  kept?: readonly string[]
  /** Columns that are deleted completely with any content of the row: they contain a salt, or can't be read in part. */
  whole?: readonly string[]
  /** The column with a member `salt`, which is deleted with any content of the row. */
  salted?: string
}

type Column = RawBuilder<unknown>

const onDay = (time: Column) =>
  sql<boolean>`exists (select 1 from legal_holds h where h.tenant_id = c.tenant_id and h.released_at is null
    and (${time} at time zone 'UTC')::date between h.from_day and h.to_day)`
/** An execution is on hold with its trace, and with the day on which it began. */
const ofHeld = (execution: Column) =>
  sql<boolean>`exists (select 1 from executions e join legal_holds h on h.tenant_id = e.tenant_id and h.released_at is null
    and (h.trace_id = e.trace_id or (e.created_at at time zone 'UTC')::date between h.from_day and h.to_day)
    where e.tenant_id = c.tenant_id and e.id = ${execution})`
const ofLive = (execution: Column) =>
  sql<boolean>`exists (select 1 from executions e where e.tenant_id = c.tenant_id and e.id = ${execution} and e.ended_at is null)`

/** Waiting for a decision, or approved for a call of an external agent that can still be made. */
const isOpen = (approval: string) =>
  sql<boolean>`(${sql.ref(`${approval}.status`)} = 'pending' or (${sql.ref(`${approval}.kind`)} = 'external_call'
    and ${sql.ref(`${approval}.status`)} = 'approved' and ${sql.ref(`${approval}.used_at`)} is null
    and ${sql.ref(`${approval}.expires_at`)} > clock_timestamp()))`

const ofExecution = (execution: Column) => ({
  owner: sql<string>`${execution}::text`,
  live: ofLive(execution),
  held: ofHeld(execution),
})
const itself = sql<string>`c.id::text`
const asking = sql`(select w.execution_id from input_waits w where w.tenant_id = c.tenant_id and w.id = c.wait_id)`

export const erasables: readonly Erasable[] = [
  {
    table: 'executions',
    owner: itself,
    live: sql<boolean>`c.ended_at is null`,
    held: ofHeld(sql`c.id`),
    shownBy: { resource: 'execution', id: itself },
  },
  {
    table: 'execution_steps',
    ...ofExecution(sql`c.execution_id`),
    shownBy: { resource: 'execution', id: sql<string>`c.execution_id::text` },
  },
  {
    table: 'execution_events',
    ...ofExecution(sql`c.execution_id`),
    shownBy: { resource: 'execution', id: sql<string>`c.execution_id::text` },
  },
  {
    table: 'approvals',
    owner: sql<string>`coalesce(c.execution_id, c.id)::text`,
    live: sql<boolean>`(${isOpen('c')} or ${ofLive(sql`c.execution_id`)})`,
    held: sql<boolean>`(${onDay(sql`c.requested_at`)} or ${ofHeld(sql`c.execution_id`)})`,
    shownBy: { resource: 'approval', id: itself },
    kept: ['risk', 'id', 'executionId', 'traceId', 'environment'],
    whole: ['payload'],
  },
  {
    table: 'policy_decisions',
    owner: sql<string>`coalesce(c.execution_id, c.id)::text`,
    // The approval request of an external agent's call refers to the decision.
    live: sql<boolean>`(${ofLive(sql`c.execution_id`)} or exists (select 1 from approvals a
      where a.tenant_id = c.tenant_id and a.subject_id = c.id and ${isOpen('a')}))`,
    held: sql<boolean>`(${onDay(sql`c.created_at`)} or ${ofHeld(sql`c.execution_id`)})`,
    shownBy: { resource: 'policy_decision', id: itself },
    whole: ['request'],
  },
  {
    table: 'input_events',
    ...ofExecution(sql`c.execution_id`),
    held: sql<boolean>`(${onDay(sql`c.received_at`)} or ${ofHeld(sql`c.execution_id`)})`,
    shownBy: { resource: 'input_event', id: itself },
    salted: 'attributes',
  },
  {
    table: 'input_resolutions',
    ...ofExecution(asking),
    shownBy: { resource: 'input_resolution', id: itself },
  },
  {
    table: 'mails',
    owner: itself,
    live: sql<boolean>`c.delivery in ('pending', 'in_flight')`,
    held: sql<boolean>`(${onDay(sql`c.created_at`)} or ${ofHeld(
      sql`(select a.execution_id from approvals a where a.tenant_id = c.tenant_id and a.id = c.subject_id)`,
    )} or ${ofHeld(
      sql`(select w.execution_id from input_resolutions r join input_waits w on w.tenant_id = r.tenant_id and w.id = r.wait_id
        where r.tenant_id = c.tenant_id and r.id = c.subject_id)`,
    )})`,
    shownBy: { resource: 'mail', id: itself },
  },
  {
    table: 'idempotency_keys',
    owner: sql<string>`c.member_id::text`,
    live: sql<boolean>`false`,
    held: onDay(sql`c.created_at`),
  },
]
