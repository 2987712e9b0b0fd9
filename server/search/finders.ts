import type { Permission } from '#lib/permissions.ts'
import type { Found, FoundKind } from '#lib/schemas/lists/search.ts'
import { findAgent, listAgentsSaying } from '#server/agents/store.ts'
import { findApproval } from '#server/approvals/store.ts'
import type { FoundApproval } from '#server/approvals/words/find.ts'
import { findRecord } from '#server/audit/store.ts'
import { findExport } from '#server/evidence/store.ts'
import { listExecutionsById } from '#server/executions/state/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findPolicy, listPoliciesSaying } from '#server/policies/store.ts'
import { findTrace, listTraces } from '#server/traces/store.ts'

type Hit = Omit<Found, 'kind'>

type Finder = {
  /** All of them are needed. */
  permissions: readonly Permission[]
  named(tx: Transaction, tenantId: string, id: string): Promise<Hit | undefined>
  /** The newest `limit` that have all words. */
  saying(asked: Asked): Promise<Hit[]>
}

type Asked = {
  tx: Transaction
  tenantId: string
  words: readonly string[]
  limit: number
  /** The newest requests that have all words, more than `limit` where executions are asked for. */
  requests: () => Promise<readonly FoundApproval[]>
}

/** An execution may have several requests. */
export const requestsPerExecution = 4

/** Each kind by its own permission. The words of executions are those of their requests: their inputs are not searched. */
export const finders: Readonly<Record<FoundKind, Finder>> = {
  approval: {
    permissions: ['approval:list'],
    named: async (tx, tenantId, id) => map(await findApproval(tx, tenantId, id), approvalHit),
    saying: async ({ requests, limit }) => (await requests()).slice(0, limit).map(approvalHit),
  },
  execution: {
    permissions: ['execution:read', 'approval:list'],
    named: async (tx, tenantId, id) =>
      map((await listExecutionsById(tx, tenantId, [id]))[0], (row) => executionHit(row, row.agentDisplayName)),
    async saying({ tx, tenantId, limit, requests }) {
      const titles = new Map<string, string>()
      for (const { executionId, presentation } of await requests())
        if (executionId !== null && !titles.has(executionId)) titles.set(executionId, presentation.title)
      const rows = await listExecutionsById(tx, tenantId, [...titles.keys()].slice(0, limit))
      return rows.map((row) => executionHit(row, titles.get(row.id) ?? row.agentDisplayName))
    },
  },
  agent: {
    permissions: ['agent:read'],
    named: async (tx, tenantId, id) => map(await findAgent(tx, tenantId, id), agentHit),
    saying: async ({ tx, tenantId, words, limit }) =>
      (await listAgentsSaying(tx, tenantId, words, limit)).map(agentHit),
  },
  policy: {
    permissions: ['policy:read'],
    named: async (tx, tenantId, id) => map(await findPolicy(tx, tenantId, id), policyHit),
    saying: async ({ tx, tenantId, words, limit }) =>
      (await listPoliciesSaying(tx, tenantId, words, limit)).map(policyHit),
  },
  trace: {
    permissions: ['trace:read'],
    named: async (tx, tenantId, id) => map(await findTrace(tx, tenantId, id), traceHit),
    async saying({ tx, tenantId, words, limit }) {
      const filter = { text: words.join(' ') }
      return (await listTraces(tx, tenantId, { limit, before: undefined, filter })).hits.map(traceHit)
    },
  },
  export: {
    permissions: ['evidence:read'],
    named: async (tx, tenantId, id) =>
      map(await findExport(tx, tenantId, id), ({ startAt, endAt, purpose, status, createdAt }) => ({
        id,
        title: `Evidence of ${day(startAt)} to ${day(new Date(endAt.getTime() - 1))}`,
        note: purpose,
        status,
        at: createdAt.toISOString(),
      })),
    saying: async () => [],
  },
  record: {
    permissions: ['audit:read'],
    named: async (tx, tenantId, id) =>
      map(await findRecord(tx, tenantId, id), ({ type, date, createdAt }) => ({
        id,
        title: type,
        note: date,
        status: null,
        at: createdAt.toISOString(),
      })),
    saying: async () => [],
  },
}

const map = <T>(row: T | undefined, hit: (row: T) => Hit): Hit | undefined => (row === undefined ? undefined : hit(row))

const day = (at: Date): string => at.toISOString().slice(0, 10)

const approvalHit = ({ id, status, requestedAt, presentation: { title, agent, environment } }: FoundApproval): Hit => ({
  id,
  title,
  note: agent === null ? environment : [agent.displayName, environment].filter((one) => one !== null).join(', '),
  status,
  at: requestedAt.toISOString(),
})

type ExecutionRow = Awaited<ReturnType<typeof listExecutionsById>>[number]

const executionHit = (
  { id, agentName, agentVersion, environment, status, createdAt }: ExecutionRow,
  title: string,
): Hit => ({
  id,
  title,
  note: `${agentName} ${agentVersion}, ${environment}`,
  status,
  at: createdAt.toISOString(),
})

const agentHit = ({
  id,
  name,
  displayName,
  status,
  createdAt,
}: Pick<AgentRow, 'id' | 'name' | 'displayName' | 'status' | 'createdAt'>): Hit => ({
  id,
  title: displayName,
  note: name,
  status,
  at: createdAt.toISOString(),
})
type AgentRow = NonNullable<Awaited<ReturnType<typeof findAgent>>>

const policyHit = ({ id, name, description, createdAt }: NonNullable<Awaited<ReturnType<typeof findPolicy>>>): Hit => ({
  id,
  title: name,
  note: description === '' ? null : description,
  status: null,
  at: createdAt.toISOString(),
})

type TraceRow = Pick<NonNullable<Awaited<ReturnType<typeof findTrace>>>, 'traceId' | 'name' | 'agentName' | 'startedAt'>

const traceHit = ({ traceId: id, name, agentName, startedAt }: TraceRow): Hit => ({
  id,
  title: name,
  note: agentName,
  status: null,
  at: startedAt.toISOString(),
})
