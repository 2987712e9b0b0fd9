'use client'

import { executionColumns } from '#components/executions/execution-columns.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { DataTable } from '#components/ui/text/data-table.tsx'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'

/** The list of executions has the other columns, and the width for them. */
const left = new Set(['began'])

/** Lists executions that have not ended. */
export function RunningTable({ rows }: { rows: ExecutionSummary[] }) {
  const { tenant } = useSession()
  return (
    <DataTable
      caption="Running executions"
      dense
      columns={executionColumns(tenant).filter(({ key }) => !left.has(key))}
      rows={rows}
      rowKey={(row) => row.id}
    />
  )
}
