import { isJsonObject, type JsonValue } from '#lib/json.ts'

// What data/report.html shows of the rows, taken from them while they are written: it never shows more than the archive has.

/** Approvals that are listed; all of them are in data/approvals.ndjson. */
const listed = 1000

export type Vote = {
  at: string
  decision: string
  by: string
  onBehalfOf: string | undefined
  reason: string
  passkey: boolean
}
export type ReportedApproval = {
  id: string
  kind: string
  status: string
  agent: string
  /** What is to be done: the title, in an archive that shows it, or the tool or model. */
  what: string
  requestedBy: string
  requestedAt: string
  votes: Vote[]
}

export type ReportRows = {
  /** Yields the rows of a file unchanged. */
  watch(file: string, rows: AsyncIterable<object>): AsyncIterable<object>
  approvals(): { shown: ReportedApproval[]; more: number }
  nameOf(memberId: string): string
}

type Row = Record<string, unknown>

export function reportRows(): ReportRows {
  const names = new Map<string, string>()
  const agents = new Map<string, string>()
  const approvals = new Map<string, Row>()
  const votes = new Map<string, Row[]>()
  /** By the ids of the approvals' decisions. */
  const decided = new Map<string, Row | undefined>()
  let more = 0
  const nameOf = (id: unknown) => (typeof id === 'string' ? (names.get(id) ?? id) : '')
  const take: Record<string, (row: Row) => void> = {
    members: (row) => void names.set(String(row.id), shown(row.displayName) || shown(row.username)),
    agents: (row) => void agents.set(String(row.id), shown(row.displayName)),
    approvals: (row) => {
      if (approvals.size < listed) {
        approvals.set(String(row.id), row)
        if (typeof row.decisionId === 'string') decided.set(row.decisionId, undefined)
      } else more += 1
    },
    decisions: (row) => {
      const id = String(row.id)
      if (decided.has(id)) decided.set(id, row)
    },
    'approval-votes': (row) => {
      const id = String(row.approvalId)
      if (approvals.has(id)) votes.set(id, [...(votes.get(id) ?? []), row])
    },
  }
  return {
    nameOf,
    async *watch(file, rows) {
      const own = take[file]
      for await (const row of rows) {
        own?.(fieldsOf(row))
        yield row
      }
    },
    approvals: () => ({
      more,
      shown: [...approvals.values()].map((row) => ({
        id: String(row.id),
        kind: shown(row.kind),
        status: shown(row.status),
        agent: typeof row.agentId === 'string' ? (agents.get(row.agentId) ?? row.agentId) : '',
        what: whatOf(row, decided.get(String(row.decisionId))),
        requestedBy: nameOf(row.requestedBy),
        requestedAt: shown(row.requestedAt),
        votes: (votes.get(String(row.id)) ?? []).map((vote) => ({
          at: shown(vote.createdAt),
          decision: shown(vote.decision),
          by: nameOf(vote.memberId),
          onBehalfOf: typeof vote.onBehalfOf === 'string' ? nameOf(vote.onBehalfOf) : undefined,
          reason: shown(vote.reason),
          passkey: (vote.confirmation ?? null) !== null,
        })),
      })),
    }),
  }
}

function whatOf({ presentation }: Row, decision: Row | undefined): string {
  const title = isRow(presentation) ? shown(presentation.title) : ''
  return title === '' ? shown(decision?.resource) : title
}

/** A row's members, also of one that is bound to the log: then with the values that it opens. */
function fieldsOf(row: object): Row {
  const { state, values, ...fields } = row as Row
  if (!isRow(state)) return row as Row
  const opened = Object.entries(isRow(values) ? values : {}).map(([name, one]) => [name, isRow(one) ? one.value : null])
  return { ...fields, ...state, ...Object.fromEntries(opened) }
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value as text; a masked one by its length. */
function shown(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'string') return value
  const masked = isJsonObject(value as JsonValue) ? (value as { $masked?: { length?: unknown } }).$masked : undefined
  return masked === undefined ? '' : `(masked, ${String(masked.length)} characters)`
}
