export type TelemetryCounts = {
  /** Spans. */
  added: number
  repeated: number
  rejected: number
  /** Requests. */
  committed: number
  overloaded: number
  refused: number
}

/** Counts of this process since its start, by tenant. A monitor adds up those of all processes. */
const counts = new Map<string, TelemetryCounts>()

export const telemetryCounts = (tenantId: string): Readonly<TelemetryCounts> =>
  counts.get(tenantId) ?? { added: 0, repeated: 0, rejected: 0, committed: 0, overloaded: 0, refused: 0 }

export function countTelemetry(tenantId: string, more: Partial<TelemetryCounts>): void {
  const { added, repeated, rejected, committed, overloaded, refused } = telemetryCounts(tenantId)
  counts.set(tenantId, {
    added: added + (more.added ?? 0),
    repeated: repeated + (more.repeated ?? 0),
    rejected: rejected + (more.rejected ?? 0),
    committed: committed + (more.committed ?? 0),
    overloaded: overloaded + (more.overloaded ?? 0),
    refused: refused + (more.refused ?? 0),
  })
}
