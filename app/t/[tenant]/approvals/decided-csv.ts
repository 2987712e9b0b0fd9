import type { ApprovalSummaries } from '#components/approvals/waiting.ts'
import { toCsv } from '#lib/csv.ts'

type Row = ApprovalSummaries[number]

const columns: [name: string, value: (row: Row) => string | null | undefined][] = [
  ['approvalId', ({ approvalId }) => approvalId],
  ['title', ({ title }) => title],
  ['status', ({ status }) => status],
  ['amount', ({ amount }) => amount?.value],
  ['currency', ({ amount }) => amount?.currency],
  ['risk', ({ risk }) => risk],
  ['agent', ({ agentName }) => agentName],
  ['agentVersion', ({ agentVersion }) => agentVersion],
  ['environment', ({ environment }) => environment],
  ['action', ({ action }) => action],
  ['resource', ({ resource }) => resource],
  ['requestedBy', ({ requestedBy }) => requestedBy.displayName],
  ['requestedAt', ({ requestedAt }) => requestedAt],
  ['decidedBy', ({ decidedBy }) => decidedBy?.displayName],
  ['decidedAt', ({ decidedAt }) => decidedAt],
  ['reason', ({ reason }) => reason],
  ['payloadDigest', ({ payloadDigest }) => payloadDigest],
  ['auditId', ({ auditId }) => auditId],
]

/** Decided requests as CSV: names of columns, then a line for each request. Times are in UTC. */
export const decidedCsv = (rows: readonly Row[]): string =>
  toCsv([columns.map(([name]) => name), ...rows.map((row) => columns.map(([, value]) => value(row) ?? ''))])
